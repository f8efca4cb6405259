"""Fill in the recipe of conda-forge for a release.

python tools/recipe.py dist/rotastack-0.1.0.tar.gz --url ADDRESS --homepage ADDRESS --maintainer NAME

Version, summary and SHA-256 are those of the source distribution that is given: the file that was uploaded.
"""

import argparse
import hashlib
import json
import tarfile
from email.parser import Parser
from pathlib import Path

RECIPE = Path(__file__).resolve().parents[1] / "recipe" / "recipe.yaml"


def metadata(source: Path) -> dict[str, str]:
    """Return what a source distribution tells of itself."""
    with tarfile.open(source) as archive:
        (member,) = (m for m in archive.getmembers() if m.name.count("/") == 1 and m.name.endswith("/PKG-INFO"))
        file = archive.extractfile(member)
        assert file is not None
        return dict(Parser().parsestr(file.read().decode()).items())


def filled(source: Path, url: str, homepage: str, maintainers: list[str]) -> str:
    """Return the recipe of a source distribution that was uploaded to `url`."""
    told = metadata(source)
    lines = RECIPE.read_text(encoding="utf-8").splitlines(keepends=True)
    values = {
        "VERSION": json.dumps(told["Version"]),
        "URL": json.dumps(url),
        "HOMEPAGE": json.dumps(homepage),
        "SHA256": hashlib.sha256(source.read_bytes()).hexdigest(),
        "SUMMARY": json.dumps(told["Summary"]),
        "MAINTAINERS": json.dumps(maintainers),
    }
    text = "".join(line for line in lines if not line.startswith("#"))
    for name, value in values.items():
        text = text.replace(f": {name}\n", f": {value}\n")
    return text


def main() -> None:
    """Print the recipe, or write it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", type=Path, help="the source distribution, as it was uploaded")
    parser.add_argument("--url", required=True, help="where it was uploaded")
    parser.add_argument("--homepage", required=True, help="the project's page")
    parser.add_argument("--maintainer", action="append", required=True, help="a GitHub name; may be repeated")
    parser.add_argument("--output", type=Path, help="by default it is printed")
    arguments = parser.parse_args()
    text = filled(arguments.source, arguments.url, arguments.homepage, arguments.maintainer)
    if arguments.output:
        arguments.output.write_text(text, encoding="utf-8")
    else:
        print(text, end="")


if __name__ == "__main__":
    main()
