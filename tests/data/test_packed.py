"""What is unpacked: the first file of an archive, whatever its name, and no more than a table can be."""

import gzip
import io
import re
import zipfile

import pytest
from tests.refusals import refusal

from rotastack.data import packed
from rotastack.data.packed import unpacked
from rotastack.data.tables import read_with_notes

TEXT = b"1,2,a\n3,4,b\n" * 20
WAYS = ["gzip", "zip", "compress"]


def zipped(name, content):
    body = io.BytesIO()
    with zipfile.ZipFile(body, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("folder/", b"")
        archive.writestr(name, content)
    return body.getvalue()


def compressed(codes):
    """Return a file of Unix compress from fewer than 255 codes, each of 9 bits; the first 256 codes are bytes."""
    bits = sum(code << 9 * i for i, code in enumerate(codes))
    return b"\x1f\x9d\x90" + bits.to_bytes((9 * len(codes) + 7) // 8, "little")


NAMES = ["data.csv", "../../evil.csv", "/etc/evil.csv"]


@pytest.mark.parametrize(
    "body",
    [TEXT, gzip.compress(TEXT), compressed(TEXT), *(zipped(name, TEXT) for name in NAMES)],
    ids=["plain", "gzip", "compress", *NAMES],  # not the bytes: archives hold the time, and each worker has its own
)
def test_each_way_of_packing_and_names_in_an_archive_mean_nothing(body, here):
    assert unpacked(body) == TEXT
    assert not list(here.rglob("*"))


def test_an_empty_archive():
    with pytest.raises(OSError, match="the archive is empty"):
        unpacked(zipped("folder/", b""))


@pytest.mark.parametrize("body", [gzip.compress(TEXT * 50), zipped("a", TEXT * 50), compressed(TEXT)], ids=WAYS)
@pytest.mark.parametrize("damage", ["cut", "other bytes"])
def test_a_damaged_archive_is_an_error_of_the_file(body, damage):
    middle = len(body) // 2
    if body.startswith(packed.COMPRESS):  # no checksum: codes that do not exist yet are the only damage that shows
        body = body[:3] + b"\xff" * 30
    body = body[:middle] if damage == "cut" else body[:50] + b"\xff" * 20 + body[70:]
    with pytest.raises(OSError, match="the file cannot be unpacked"):
        unpacked(body)


def test_what_packs_well_may_yet_be_a_table(monkeypatch):
    monkeypatch.setattr(packed, "LEAST", 10_000)
    table = b"".join(b"%d,0,0,0,0,1\n" % (n % 97) for n in range(5000))
    assert unpacked(gzip.compress(table)) == table
    assert len(unpacked(gzip.compress(bytes(10_000)))) == 10_000, "the limit itself"


@pytest.mark.parametrize(
    "body",
    [gzip.compress(bytes(10_000_000)), zipped("a", bytes(10_000_000)), compressed([0, *range(257, 510)])],
    ids=WAYS,
)
def test_a_bomb_is_refused_before_it_fills_the_memory(body, tmp_path, monkeypatch):
    monkeypatch.setattr(packed, "LEAST", 10_000)
    monkeypatch.setattr(packed, "TIMES", 20)
    with pytest.raises(OSError, match="unpack to more than .* bytes, the limit for a table"):
        unpacked(body)
    if body.startswith(b"\x1f\x8b"):
        (tmp_path / "t.csv.gz").write_bytes(body)
        line = refusal(read_with_notes, tmp_path / "t.csv.gz")
        assert re.search("t.csv.gz: cannot be read: the .* bytes unpack to more", line)
