"""Unpacking of compressed files, with a limit on the unpacked size."""

import gzip
import io
import subprocess
import tempfile
import zipfile
import zlib
from typing import IO

__all__ = ["gunzipped", "unpacked"]

LEAST, TIMES = 1 << 28, 200
"""Limit on unpacked bytes: the larger of `LEAST`, and `TIMES` the packed bytes."""

_BROKEN = (EOFError, zlib.error, zipfile.BadZipFile, NotImplementedError, RuntimeError)
"""Exceptions for an archive that is incomplete, damaged, locked by a password, or of an unknown compression."""


def unpacked(name: str, body: bytes) -> bytes:
    """Return the unpacked content of a file; the ending ``.Z``, ``.gz`` or ``.zip`` of its name is its compression.

    The content of a zip archive is its first file. No file is written, so paths in an archive do no harm.

    Raises
    ------
    OSError
        The file cannot be unpacked, or is too large.
    """
    if name.endswith(".Z"):  # Unix compress: the program gzip can unpack it, the standard library cannot
        return _uncompressed(body)
    if name.endswith(".gz"):
        return gunzipped(body)
    if name.endswith(".zip"):
        try:
            with zipfile.ZipFile(io.BytesIO(body)) as archive:
                files = [part for part in archive.infolist() if not part.is_dir()]
                if not files:
                    raise OSError("the archive is empty")
                with archive.open(files[0]) as stream:
                    return _read(stream, len(body))
        except _BROKEN as error:
            raise OSError(f"the .zip file cannot be unpacked: {error}") from None
    return body


def gunzipped(body: bytes) -> bytes:
    """Return the content of a gzip file; an OSError if the file cannot be unpacked or is too large."""
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(body)) as stream:
            return _read(stream, len(body))
    except _BROKEN as error:
        raise OSError(f"the .gz file cannot be unpacked: {error}") from None


def _read(stream: IO[bytes] | gzip.GzipFile, packed: int) -> bytes:
    most = max(LEAST, TIMES * packed)
    content = stream.read(most + 1)
    if len(content) > most:
        raise OSError(f"the {packed:,} bytes unpack to more than {most:,} bytes, the limit for a table")
    return content


def _uncompressed(body: bytes) -> bytes:
    with tempfile.TemporaryFile() as packed:
        packed.write(body)
        packed.seek(0)
        try:
            process = subprocess.Popen(["gzip", "-dc"], stdin=packed, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        except FileNotFoundError:
            raise OSError("the program gzip, needed for .Z files, is not installed") from None
        with process:
            assert process.stdout is not None
            try:
                content = _read(process.stdout, len(body))
            except OSError:
                process.kill()
                raise
    if process.returncode:
        raise OSError("the .Z file cannot be unpacked")
    return content
