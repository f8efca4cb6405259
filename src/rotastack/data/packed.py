"""Unpack what was packed, but not more than a table can be."""

import gzip
import io
import subprocess
import tempfile
import zipfile
import zlib
from typing import IO

__all__ = ["gunzipped", "unpacked"]

LEAST, TIMES = 1 << 28, 200
"""What is unpacked may have so many bytes, or so many times those that were packed."""

_BROKEN = (EOFError, zlib.error, zipfile.BadZipFile, NotImplementedError, RuntimeError)
"""What readers raise of an archive that is cut short, damaged, locked by a password, or packed in a way of its own."""


def unpacked(name: str, body: bytes) -> bytes:
    """Return the content of a file that is packed as the ending of its name says: ``.Z``, ``.gz``, ``.zip``, or not.

    Of a zip archive it is that of the first file. Nothing is written, so the names in an archive mean nothing.

    Raises
    ------
    OSError
        It cannot be unpacked, or would be too large.
    """
    if name.endswith(".Z"):  # Unix compress, which gzip unpacks and Python does not
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
    """Return the content of a gzip file; OSError if it cannot be unpacked, or is too large."""
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(body)) as stream:
            return _read(stream, len(body))
    except _BROKEN as error:
        raise OSError(f"the .gz file cannot be unpacked: {error}") from None


def _read(stream: IO[bytes] | gzip.GzipFile, packed: int) -> bytes:
    most = max(LEAST, TIMES * packed)
    content = stream.read(most + 1)
    if len(content) > most:
        raise OSError(f"its {packed:,} bytes unpack to more than {most:,}: that is no table")
    return content


def _uncompressed(body: bytes) -> bytes:
    with tempfile.TemporaryFile() as packed:
        packed.write(body)
        packed.seek(0)
        try:
            process = subprocess.Popen(["gzip", "-dc"], stdin=packed, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        except FileNotFoundError:
            raise OSError("gzip, which unpacks .Z files, is not installed") from None
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
