"""What is unpacked: the first file of an archive, whatever its name, and no more than a table can be."""

import gzip
import io
import subprocess
import zipfile

import pytest

from rotastack.data import packed
from rotastack.data.packed import gunzipped, unpacked
from rotastack.data.tables import read_with_notes
from rotastack.errors import RotastackError

TEXT = b"1,2,a\n3,4,b\n" * 20


def zipped(name, content):
    body = io.BytesIO()
    with zipfile.ZipFile(body, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("folder/", b"")
        archive.writestr(name, content)
    return body.getvalue()


@pytest.mark.parametrize("name", ["data.csv", "../../evil.csv", "/etc/evil.csv"])
def test_names_in_an_archive_mean_nothing(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert unpacked("https://a/b.zip", zipped(name, TEXT)) == TEXT
    assert not list(tmp_path.rglob("*"))


def test_each_way_of_packing():
    assert unpacked("x.data", TEXT) == TEXT
    assert unpacked("x.gz", gzip.compress(TEXT)) == TEXT
    with pytest.raises(OSError, match="the archive is empty"):
        unpacked("x.zip", zipped("folder/", b""))
    with pytest.raises(OSError, match="cannot be unpacked"):
        unpacked("x.Z", b"\x1f\x9dgarbage that is none"[:5] * 3 + b"\xff" * 30)
    assert unpacked("x.Z", gzip.compress(TEXT)) == TEXT  # which gzip takes, too


@pytest.mark.parametrize("ending", [".gz", ".zip", ".Z"])
def test_a_bomb_is_refused_before_it_fills_the_memory(ending, monkeypatch):
    monkeypatch.setattr(packed, "LEAST", 10_000)
    body = zipped("a", bytes(10_000_000)) if ending == ".zip" else gzip.compress(bytes(10_000_000))
    with pytest.raises(OSError, match="unpack to more than .* bytes, the limit for a table"):
        unpacked(f"x{ending}", body)


@pytest.mark.parametrize("ending", [".gz", ".zip"])
@pytest.mark.parametrize("damage", ["cut", "other bytes"])
def test_a_damaged_archive_is_an_error_of_the_file(ending, damage):
    body = zipped("a", TEXT * 50) if ending == ".zip" else gzip.compress(TEXT * 50)
    middle = len(body) // 2
    body = body[:middle] if damage == "cut" else body[:50] + b"\xff" * 20 + body[70:]
    with pytest.raises(OSError, match=f"the {ending} file cannot be unpacked"):
        unpacked(f"x{ending}", body)


def test_what_packs_well_may_yet_be_a_table(monkeypatch):
    monkeypatch.setattr(packed, "LEAST", 10_000)
    table = b"".join(b"%d,0,0,0,0,1\n" % (n % 97) for n in range(5000))
    assert gunzipped(gzip.compress(table)) == table


def test_a_table_of_ones_own_that_is_a_bomb_is_one_line(tmp_path, monkeypatch):
    monkeypatch.setattr(packed, "LEAST", 10_000)
    path = tmp_path / "t.csv.gz"
    path.write_bytes(gzip.compress(b"a,b\n" + bytes(10_000_000)))
    with pytest.raises(RotastackError, match=r"^[^\n]*t.csv.gz: cannot be read: the [^\n]* bytes unpack to more"):
        read_with_notes(path)[0]


def test_gzip_is_not_needed_for_what_python_unpacks(monkeypatch):
    monkeypatch.setattr(subprocess, "Popen", None)
    assert unpacked("x.gz", gzip.compress(TEXT)) == TEXT
