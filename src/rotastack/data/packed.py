"""Unpacking of compressed files, with a limit on the unpacked size."""

import gzip
import io
import subprocess
import tempfile
import zipfile
import zlib
from typing import IO

LEAST, TIMES = 1 << 28, 200
"""Limit on unpacked bytes: the larger of `LEAST`, and `TIMES` the packed bytes."""

GZIP, ZIP, COMPRESS = b"\x1f\x8b", b"PK", b"\x1f\x9d"
"""First bytes of packed files."""


def unpacked(body: bytes) -> bytes:
    """Return the content of a file packed by gzip, zip or Unix compress; any other file as it is; an OSError if it cannot be.

    The content of a zip archive is its first file. No file is written, so paths in an archive do no harm.
    """
    try:
        if body.startswith(GZIP):
            with gzip.GzipFile(fileobj=io.BytesIO(body)) as content:
                return _read(content, len(body))
        if body.startswith(ZIP):
            with zipfile.ZipFile(io.BytesIO(body)) as archive:
                files = [part for part in archive.infolist() if not part.is_dir()]
                if not files:
                    raise OSError("the archive is empty")
                with archive.open(files[0]) as content:
                    return _read(content, len(body))
        return _uncompressed(body) if body.startswith(COMPRESS) else body
    except (EOFError, zlib.error, zipfile.BadZipFile, NotImplementedError, RuntimeError) as error:
        raise OSError(f"the file cannot be unpacked: {error}") from None


def _uncompressed(body: bytes) -> bytes:
    """Return the content of a .Z file; the program gzip can unpack it, the standard library cannot."""
    with tempfile.TemporaryFile() as packed:
        packed.write(body)
        packed.seek(0)
        # A program whose output is closed early ends by itself.
        with subprocess.Popen(
            ["gzip", "-dc"], stdin=packed, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        ) as process:
            assert process.stdout is not None
            content = _read(process.stdout, len(body))
    if process.returncode:
        raise OSError("the file cannot be unpacked: it is not valid gzip")
    return content


def _read(stream: IO[bytes] | gzip.GzipFile, packed: int) -> bytes:
    most = max(LEAST, TIMES * packed)
    content = stream.read(most + 1)
    if len(content) > most:
        raise OSError(f"the {packed:,} bytes unpack to more than {most:,} bytes, the limit for a table")
    return content
