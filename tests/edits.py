"""Edits of the package's code, as fingerprints see them: no file is changed."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from unittest import mock

from rotastack.workflow.run import fingerprint


@contextmanager
def edited(*files: str) -> Iterator[None]:
    """Let files of the package have other code than before; a file is named from the package's folder."""
    hashes = fingerprint._files
    for file in files:
        assert hashes(file), file

    @cache
    def changed(pattern):
        return {file: f"{code} edited" if file in files else code for file, code in hashes(pattern).items()}

    with mock.patch.object(fingerprint, "_files", changed):
        fingerprint.fingerprint.cache_clear()
        try:
            yield
        finally:
            fingerprint.fingerprint.cache_clear()
