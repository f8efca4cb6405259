"""The reference of the command line, from the parsers themselves, and of the workflow's steps."""

import argparse

__all__ = ["page", "parsers", "steps"]


def parsers() -> dict[str, argparse.ArgumentParser]:
    """Return command -> parser; the first, ``rotastack``, is the whole."""
    from rotastack.cli.commands import _parser

    return dict(_walk(_parser(), "rotastack"))


def _walk(parser, name):
    yield name, parser
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for command, inner in action.choices.items():
                yield from _walk(inner, f"{name} {command}")


def _helps(parser):
    """Return command -> the line that the list of commands has for it."""
    return {
        choice.dest: choice.help
        for action in parser._actions
        if isinstance(action, argparse._SubParsersAction)
        for choice in action._choices_actions
    }


def page(_docname: str) -> str:
    """Return the reference of all commands."""
    known = parsers()
    helps = _helps(known["rotastack"])
    lines = ["| command | what it does |", "|---|---|"]
    lines += [f"| [`rotastack {name}`](#{_anchor(name)}) | {_cell(helps[name])} |" for name in helps]
    lines.append("")
    for name, parser in known.items():
        about = helps.get(name.partition(" ")[2], parser.description) or parser.description or ""
        lines += [f"({_anchor(name.partition(' ')[2])})=", f"## `{name}`", "", f"{_sentence(about)}", ""]
        lines += ["```text", *_usage(parser), "```", ""]
        rows = [row for action in parser._actions if (row := _row(action, parser))]
        if rows:
            lines += ["| argument | what |", "|---|---|", *rows, ""]
        if parser.epilog:
            lines += ["```text", *parser.epilog.strip("\n").splitlines(), "```", ""]
    return "\n".join(lines)


def _anchor(name):
    return f"command-{name.replace(' ', '-') or 'rotastack'}"


def _sentence(text):
    text = text.strip()
    return text[:1].upper() + text[1:] + ("" if text.endswith(".") else ".")


def _usage(parser):
    formatter = argparse.HelpFormatter(prog=parser.prog, width=84)
    formatter.add_usage(parser.usage, parser._actions, parser._mutually_exclusive_groups, prefix="")
    return formatter.format_help().rstrip().splitlines()


def _row(action, parser):
    if isinstance(action, (argparse._HelpAction, argparse._SubParsersAction)) or action.help == argparse.SUPPRESS:
        return None
    formatter = argparse.HelpFormatter(prog=parser.prog)
    if action.option_strings:
        takes = "" if action.nargs == 0 else " " + formatter._format_args(action, action.dest.upper())
        name = ", ".join(f"`{option}{takes}`" for option in action.option_strings)
    else:
        name = f"`{formatter._format_args(action, action.dest)}`"
    text = formatter._expand_help(action).rstrip(".") if action.help else ""
    if action.choices:
        text = f"{text}. One of {', '.join(f'`{c}`' for c in action.choices)}"
    return f"| {_cell(name)} | {_cell(text)} |"


def _cell(text):
    return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;")


def steps(_docname: str) -> str:
    """Return the table of the workflow's steps: what each reads and writes."""
    from importlib import import_module

    from rotastack.run.modules import STEPS

    lines = ["| step | what it does |", "|---|---|"]
    for name, module in STEPS.items():
        first = (import_module(module).__doc__ or "").splitlines()[0]
        lines.append(f"| `{name}` | {_cell(first.partition(': ')[2].rstrip('.'))} |")
    return "\n".join(lines)
