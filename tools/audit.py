"""Ask for known vulnerabilities of what requirements.lock pins: pip-audit, run by uv in an environment of its own."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

LOCK = Path(__file__).parents[1] / "requirements.lock"
SERVICES = ("pypi", "osv")
"""Of advisories, in the order in which they are asked."""


def answer(service: str) -> tuple[list[dict[str, Any]], str]:
    """Return what a service says of each package that it knows, and what went wrong otherwise."""
    command = ["uv", "tool", "run", "--quiet", "pip-audit>=2.9", "--requirement", str(LOCK), "--require-hashes",
               "--disable-pip", "--progress-spinner", "off", "--format", "json", "--vulnerability-service", service]  # fmt: skip
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=300)
        packages = json.loads(done.stdout)["dependencies"]
    except FileNotFoundError:
        return [], "uv is not installed"
    except subprocess.TimeoutExpired:
        return [], "it does not answer"
    except (ValueError, KeyError):
        offline = any(sign in done.stderr for sign in ("ConnectionError", "onnect", "resolve", "Timeout"))
        return [], "no connection" if offline else (done.stderr.strip().splitlines() or ["no answer"])[-1]
    return [p for p in packages if "skip_reason" not in p], "it knows none of the packages"


def main() -> int:
    """Print a line for each vulnerability, or that there is none, or that nobody can be asked."""
    reasons = []
    for service in SERVICES:
        known, reason = answer(service)
        if not known:
            reasons.append(f"{service}: {reason}")
            continue
        found = [
            f"{p['name']} {p['version']}: {v['id']}, mended in {', '.join(v['fix_versions']) or 'no version yet'}"
            for p in known
            for v in p["vulns"]
        ]
        print("\n".join(found) or f"audit: no known vulnerability in {len(known)} packages ({service})")
        return 1 if found else 0
    print(f"audit: not done, as no service of advisories can be asked from here ({'; '.join(reasons)})")
    return 0


if __name__ == "__main__":
    sys.exit(main())
