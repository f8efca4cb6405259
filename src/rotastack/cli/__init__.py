"""The ``rotastack`` command."""

import sys

__all__ = ["main"]


def main(argv: list[str] | None = None) -> int:
    """Run a command; return the exit code. A RotastackError is printed as one line."""
    given = sys.argv[1:] if argv is None else argv
    if given[:2] == ["step", "serve"]:
        from rotastack.cli.warm import serve_steps

        return serve_steps(*given[2:])
    if given[:1] == ["step"]:  # before anything else is imported
        from rotastack.warm.client import ask

        code = ask(given)
        if code is not None:
            return code
    from rotastack.cli.commands import run_command

    return run_command(given)
