"""What an extension module is compiled from: its Cython source, the declarations that it cimports, and the flags.

Cython itself is not asked, as it is no part of an installation. The sources are: they stand beside the module.
"""

import re
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import takewhile
from pathlib import Path
from typing import NamedTuple

__all__ = ["code_of", "files_of", "imports_of"]

_TOKEN = re.compile(
    r"""
      (?P<string> [bBcCfFrRuU]{0,2} (?: \"{3}(?:\\.|[^\\])*?\"{3} | '{3}(?:\\.|[^\\])*?'{3}
                                    | \"(?:\\.|[^\"\\\n])*\"    | '(?:\\.|[^'\\\n])*'    ))
    | (?P<passed> \#[^\n]* | \\\r?\n | [ \t\f\r]+ )
    | (?P<newline> \n )
    | (?P<other> \w+ | . )
    """,
    re.VERBOSE | re.DOTALL,
)
_C_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)


class Line(NamedTuple):
    """A statement, or the head of a block: how deep it stands, and its tokens."""

    depth: int
    tokens: tuple[str, ...]


def files_of(path: Path, root: Path) -> list[Path]:
    """Return the files that a module is compiled from: the source, all that it cimports of the package, and the flags.

    Parameters
    ----------
    path : Path
        The `.pyx`.
    root : Path
        Folder of the package.
    """
    seen: set[Path] = set()
    todo = [path, path.with_suffix(".pxd")]
    while todo:
        file = todo.pop()
        if file not in seen and file.is_file():
            seen.add(file)
            names = _named(_lines(file.read_text(encoding="utf-8")), "cimport")
            ours = (name.split(".")[1:] for name in names if name.startswith("rotastack."))
            todo += [root.joinpath(*parts).with_suffix(".pxd") for parts in ours]
    flags = path.with_name("meson.build")
    return [*sorted(seen), *([flags] if flags.is_file() else [])]


def code_of(files: Iterable[Path]) -> str:
    """Return the text of such files, of which comments, docstrings and layout are left out."""
    return "\n".join(f"{path.name}\n{_code(path)}" for path in files)


def imports_of(path: Path) -> list[str]:
    """Return the names that a `.pyx` imports as Python does; of what is imported from a module, that module first."""
    return _named(_lines(path.read_text(encoding="utf-8")), "import")


def _code(path: Path) -> str:
    text = path.read_text(encoding="utf-8")
    if path.name == "meson.build":  # a module more or less does not concern the others
        text = text.partition("\nforeach ")[0]
    return "\n".join(f"{line.depth} {' '.join(line.tokens)}" for line in _lines(text))


@cache
def _lines(text: str) -> tuple[Line, ...]:
    """Return the lines that count: texts alone are docstrings, but for C code, which counts without its comments."""
    found: list[Line] = []
    for line in _statements(text):
        if all(token[-1] in "\"'" for token in line.tokens):
            if not found or found[-1].tokens[:3] != ("cdef", "extern", "from"):
                continue
            rows = _C_COMMENT.sub(" ", line.tokens[0]).splitlines()
            line = line._replace(tokens=("\n".join(" ".join(row.split()) for row in rows if row.strip()),))
        found.append(line)
    return tuple(found)


def _statements(text: str) -> Iterator[Line]:
    """Give statements: a line of the text, or several that a bracket or a backslash joins."""
    columns = [0]
    tokens: list[str] = []
    open_brackets = start = 0
    for match in _TOKEN.finditer(text + "\n"):
        token = match[0]
        if match.lastgroup == "newline":
            if tokens and not open_brackets:
                yield Line(len(columns) - 1, tuple(tokens))
                tokens = []
            start = match.end()
        elif match.lastgroup != "passed":
            if not tokens:
                column = len(text[start : match.start()].expandtabs())
                while column < columns[-1]:
                    columns.pop()
                if column > columns[-1]:
                    columns.append(column)
            tokens.append(token)
            open_brackets += (token in "([{") - (token in ")]}")


def _named(lines: Iterable[Line], keyword: str) -> list[str]:
    """Return what statements with this keyword name: modules, and what is taken from these, as that may be one."""
    found = []
    for _, tokens in lines:
        if keyword not in tokens or tokens[0] not in ("from", keyword):
            continue
        at = tokens.index(keyword)
        module = "".join(tokens[1:at])
        found += [module] if module else []
        parts = " ".join(t for t in tokens[at + 1 :] if t not in "()").split(",")
        names = ["".join(takewhile(lambda word: word != "as", part.split())) for part in parts]
        found += [f"{module}.{name}" if module else name for name in names if name]
    return found
