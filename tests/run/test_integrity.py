"""A file that is no longer what its step wrote is found before it is read."""

import json

import pytest

from rotastack.cli import main
from rotastack.errors import RotastackError
from rotastack.run.integrity import check_file, digest


@pytest.fixture
def raw(tmp_path):
    """A raw table as ``fetch`` makes it of a data set that scikit-learn bundles."""
    path = tmp_path / "iris.csv.gz"
    spec = json.dumps({"sources": [{"bundled": "iris"}]})
    files = ["--output", "raw", str(path), "--output", "record", str(tmp_path / "iris.run.json")]
    assert main(["step", "fetch", "--spec", spec, "--about", "dataset=iris", *files]) in (0, None)
    return path


def prepare(raw):
    folder = raw.parent
    files = [
        "--input",
        "raw",
        str(raw),
        "--output",
        "table",
        str(folder / "t"),
        "--output",
        "record",
        str(folder / "r"),
    ]
    spec = json.dumps({"task": "classification", "kinds": "auto"})
    return main(["step", "prepare", "--spec", spec, "--about", "dataset=iris", *files])


def test_a_step_notes_the_digests_of_its_files_and_the_next_one_finds_them_so(raw):
    record = json.loads((raw.parent / "iris.run.json").read_text())
    assert list(record["files"]) == ["iris.csv.gz"]
    assert len(record["files"]["iris.csv.gz"]) == 64
    assert prepare(raw) in (0, None)


def test_a_file_of_one_other_byte_is_set_aside(raw, capsys):
    content = bytearray(raw.read_bytes())
    content[4] ^= 1  # the time in gzip's header: no reader would find it
    raw.write_bytes(content)
    assert prepare(raw) == 2
    said = capsys.readouterr().err
    assert said.startswith(f"rotastack: error: {raw}: not what was written there")
    assert said.count("\n") == 1
    assert not raw.exists()
    assert (raw.parent / "iris.csv.gz.damaged").read_bytes() == content
    assert not (raw.parent / "t").exists()


def test_a_damaged_entry_of_a_cache_is_taken_out_of_it(raw, tmp_path):
    cache = tmp_path / "cache"
    cache.mkdir()
    entry = raw.rename(cache / "0123_raw.gz")
    raw.symlink_to(entry)
    check_file(raw)
    entry.write_bytes(b"other")
    with pytest.raises(RotastackError, match=r"0123_raw\.gz\.damaged"):
        check_file(raw)
    assert not raw.is_symlink()
    assert [p.name for p in cache.iterdir()] == ["0123_raw.gz.damaged"]


@pytest.mark.parametrize("content", [None, "{}", "[]", "not JSON"])
def test_without_a_digest_nothing_is_said(tmp_path, content):
    path = tmp_path / "a.nc"
    path.write_bytes(b"x")
    if content is not None:
        (tmp_path / "a.run.json").write_text(content)
    check_file(path)
    assert path.exists()


@pytest.mark.parametrize("file", ["scores.parquet", "tables/ranks.csv", "statistics/variance.parquet"])
def test_what_the_statistics_made_is_looked_up_in_their_record(tmp_path, file):
    """A data set's scores of the same name are none of it."""
    record = tmp_path / "statistics/summarize.run.json"
    record.parent.mkdir()
    path, other = tmp_path / file, tmp_path / "iris/scores.parquet"
    for each in (path, other):
        each.parent.mkdir(exist_ok=True)
        each.write_bytes(b"made")
    record.write_text(json.dumps({"files": {path.name: digest(path)}}))
    check_file(path)
    path.write_bytes(b"other")
    other.write_bytes(b"its own")
    check_file(other)
    with pytest.raises(RotastackError, match="not what was written there"):
        check_file(path)
