"""Edits of the package's code, as fingerprints see them: no file is changed."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from unittest import mock

from rotastack.workflow.run import fingerprint


@contextmanager
def edited(*files: str) -> Iterator[None]:
    """Let files of the package have other code than before; a file is named from the package's folder."""
    read = fingerprint._read
    for file in files:
        assert read(file), file

    @cache
    def changed(file):
        code, imported = read(file)
        return (f"{code} edited" if file in files else code), imported

    with mock.patch.object(fingerprint, "_read", changed):
        fingerprint.fingerprint.cache_clear()
        try:
            yield
        finally:
            fingerprint.fingerprint.cache_clear()
