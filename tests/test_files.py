"""Files are written as a whole."""

from threading import Barrier

from joblib import Parallel, delayed

from rotastack.files import replacing


def test_two_threads_may_write_one_file(tmp_path):
    path, both = tmp_path / "a.txt", Barrier(2, timeout=20)

    def write(text):
        with replacing(path) as temporary:
            temporary.write_text(text)
            both.wait()
            assert temporary.read_text() == text

    Parallel(2, prefer="threads")(delayed(write)(text) for text in ("first", "second"))
    assert path.read_text() in ("first", "second")
    assert list(tmp_path.iterdir()) == [path]
