"""``rotastack completion``: have the shell complete commands, options, studies and files."""

import argparse
from argparse import Namespace, RawDescriptionHelpFormatter
from typing import Any

__all__ = ["add"]

EXAMPLES = """\
examples:
  source <(rotastack completion bash)                                     # this shell; or put it into ~/.bashrc
  rotastack completion zsh > "${fpath[1]}/_rotastack"
  rotastack completion fish > ~/.config/fish/completions/rotastack.fish"""

BASH = """\
_rotastack() {{
    local current="${{COMP_WORDS[COMP_CWORD]}}" words
    if [ "$COMP_CWORD" -eq 1 ]; then
        words="{commands}"
    else
        case "${{COMP_WORDS[1]}}" in
{cases}
        esac
        case "$current" in
            -*) ;;
            *) words="$words $(cd studies 2>/dev/null && ls -- *.yaml 2>/dev/null | sed 's/[.]yaml$//')"
               COMPREPLY=($(compgen -W "$words" -- "$current") $(compgen -f -- "$current"))
               return ;;
        esac
    fi
    COMPREPLY=($(compgen -W "$words" -- "$current"))
}}
complete -o filenames -F _rotastack rotastack
"""


def add(commands: Any) -> None:
    """Add the command."""
    completion = commands.add_parser(
        "completion", help="print what makes a shell complete commands and options", epilog=EXAMPLES,
        formatter_class=RawDescriptionHelpFormatter,
    )  # fmt: skip
    completion.add_argument("shell", choices=["bash", "zsh", "fish"])
    completion.set_defaults(run=lambda arguments: _completion(arguments, commands))


def _completion(arguments: Namespace, commands: Any) -> None:
    print(_SCRIPTS[arguments.shell](commands.choices), end="")


def _words(parser: argparse.ArgumentParser) -> list[str]:
    """Return the options of a command, and the values that its first argument may have."""
    words: list[str] = []
    for action in parser._actions:
        words += action.option_strings or map(str, action.choices or ())
    return words


def _bash(parsers: dict[str, argparse.ArgumentParser]) -> str:
    cases = "\n".join(f'            {name}) words="{" ".join(_words(parser))}" ;;' for name, parser in parsers.items())
    return BASH.format(commands=" ".join(parsers), cases=cases)


def _zsh(parsers: dict[str, argparse.ArgumentParser]) -> str:
    return f"#compdef rotastack\nautoload -U +X bashcompinit && bashcompinit\n{_bash(parsers)}"


def _fish(parsers: dict[str, argparse.ArgumentParser]) -> str:
    lines = []
    for name, parser in parsers.items():
        lines.append(f"complete -c rotastack -n __fish_use_subcommand -a {name}")
        for word in _words(parser):
            option = (
                f"-l {word[2:]}"
                if word.startswith("--")
                else f"-s {word[1:]}"
                if word.startswith("-")
                else f"-a {word}"
            )
            lines.append(f"complete -c rotastack -n '__fish_seen_subcommand_from {name}' {option}")
    return "\n".join([*lines, ""])


_SCRIPTS = {"bash": _bash, "zsh": _zsh, "fish": _fish}
