"""Notes of what was found out: once for the same content, and never a reason to fail."""

import pytest

from rotastack.run import fingerprint as fingerprints
from rotastack.run import remembered as module
from rotastack.run.remembered import remembered


@pytest.fixture
def begin(tmp_path, monkeypatch):
    """Work in a folder; return a function that ends this process, as far as notes go, and begins another."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(module.atexit, "register", lambda function: None)

    def end():
        for notes in module._known.values():
            notes.write()
        module._known.clear()

    monkeypatch.setattr(module, "_known", {})
    return end


def asked(what, content, answer):
    """Return the answer, and whether it was found out."""
    calls = []
    return remembered(what, content, lambda: calls.append(1) or answer), bool(calls)


def test_the_same_content_is_looked_at_once(begin, tmp_path):
    (tmp_path / ".snakemake").mkdir()
    assert asked("size", b"abc", 3) == (3, True)
    assert asked("size", b"abc", 4) == (3, False)
    begin()
    assert asked("size", b"abc", 4) == (3, False)
    assert asked("size", b"abd", 4) == (4, True)
    assert asked("kind", b"abc", ["text"]) == (["text"], True)


def test_nothing_is_left_where_snakemake_leaves_nothing(begin, tmp_path):
    asked("size", b"abc", 3)
    begin()
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("content", [b"{", b"[]", b"\xff"])
def test_damaged_notes_are_written_anew(begin, tmp_path, content):
    file = tmp_path / ".snakemake/rotastack.json"
    file.parent.mkdir()
    file.write_bytes(content)
    assert asked("size", b"abc", 3) == (3, True)
    begin()
    assert asked("size", b"abc", 4) == (3, False)


def test_old_notes_are_dropped(begin, tmp_path, monkeypatch):
    monkeypatch.setattr(module, "_MOST", 2)
    (tmp_path / ".snakemake").mkdir()
    asked("size", b"a", 1)
    asked("size", b"b", 1)
    begin()
    asked("size", b"c", 1)
    asked("size", b"b", 1)
    begin()
    assert [asked("size", content, 2)[1] for content in (b"a", b"b", b"c")] == [True, False, False]


def test_what_raises_is_found_out_again(begin):
    with pytest.raises(ZeroDivisionError):
        remembered("size", b"abc", lambda: 1 // 0)
    assert asked("size", b"abc", 3) == (3, True)


def test_fingerprints_of_notes_are_those_of_files(begin, tmp_path):
    """Of a Python module, and of an extension module with all that it includes."""
    (tmp_path / ".snakemake").mkdir()
    modules = ("rotastack.trees.kernel.boosting", "rotastack.combine.stacking")
    found = []
    for _ in range(2):
        for cached in ("_tree", "_code", "_imports", "fingerprint"):
            getattr(fingerprints, cached).cache_clear()
        found.append(fingerprints.fingerprint(*modules))
        assert bool(fingerprints._tree.cache_info().misses) == (len(found) == 1)
        begin()
    assert found[0] == found[1]
