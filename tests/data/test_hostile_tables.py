"""Whatever bytes a file holds, its reading ends in a table or in one line that names the file."""

import warnings

import numpy as np
import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from rotastack.base.preprocessing import TablePreprocessor
from rotastack.data.raw import read_raw, write_raw
from rotastack.data.tables import read_with_notes
from rotastack.data.target import check_target, decide_task, with_target
from rotastack.errors import RotastackError

PIECES = st.sampled_from(
    [
        "1",
        "-2.5",
        "1,5",
        "1.234,5",
        "42.745",
        "12%",
        "\u22123",
        "1e5",
        "1e999",
        "inf",
        "nan",
        "NA",
        "",
        " ",
        "?",
        "01",
        "9" * 20,
        "true",
        "FALSE",
        "2020-01-01",
        "31.12.9999",
        "0000-00-00",
        "1/6/20",
        "0001-01-01T25:61",
        "2020-01-01T00:00:00+99:00",
        "12 kg",
        "a",
        "Ä",
        "\u5e74",
        '"',
        "\\",
        "'",
        "{x}",
        "{0}",
        "%s",
        "target",
        "\x00",
        "\r",
        "\ufeff",
        "x" * 200,
    ]
)
NAMES = st.one_of(PIECES, st.text(max_size=5))


@st.composite
def bodies(draw):
    """Return delimited text, sound or damaged, in some encoding."""
    delimiter = draw(st.sampled_from([",", ";", "\t", "|"]))
    width = draw(st.integers(1, 4))
    lines = draw(
        st.lists(
            st.lists(st.one_of(PIECES, st.text(max_size=8)), min_size=width, max_size=width), min_size=0, max_size=30
        )
    )
    header = draw(st.lists(NAMES, min_size=width, max_size=width))
    text = "\n".join(delimiter.join(line) for line in [header, *lines])
    text = draw(st.sampled_from(["", "", "sep=;\n", "\n"])) + text
    body = text.encode(draw(st.sampled_from(["utf-8", "utf-8", "utf-16", "utf-8-sig"])), errors="surrogatepass")
    cut = draw(st.integers(0, len(body)))
    return draw(st.sampled_from([body, body, body[:cut], body[:cut] + draw(st.binary(max_size=3)) + body[cut:]]))


def studied(source):
    """Read a table as ``rotastack run`` does, up to the numbers that a model gets; None if it is refused in one line."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            frame, _ = read_with_notes(source)
            frame, _ = with_target(frame, str(frame.columns[-1]), "t")
            check_target(frame["target"], "t", decide_task(frame["target"])[0])
            features = frame.drop(columns="target")
            p = TablePreprocessor(encoding="onehot").fit(features)
            whole = p.transform(features)
            assert p.transform(features.iloc[:1]).tolist() == whole[:1].tolist() or np.isnan(whole[:1]).any()
        except RotastackError as refused:
            return None if "\n" not in str(refused) else refused
    return frame


@given(bodies(), st.sampled_from([".csv", ".tsv"]))
def test_delimited_text(tmp_path_factory, body, ending):
    path = tmp_path_factory.mktemp("t") / f"t{ending}"
    path.write_bytes(body)
    frame = studied(path)
    if frame is not None:
        write_raw(frame, path.with_suffix(".parquet"))
        pd.testing.assert_frame_equal(read_raw(path.with_suffix(".parquet")), frame)


@given(st.sampled_from([".parquet", ".xlsx", ".jsonl", ".arff", ".csv.gz"]), st.binary(max_size=60), st.booleans())
def test_bytes_of_other_formats(tmp_path_factory, ending, body, is_marked):
    magic = {".parquet": b"PAR1", ".xlsx": b"PK\x03\x04", ".csv.gz": b"\x1f\x8b", ".arff": b"@relation r\n"}
    path = tmp_path_factory.mktemp("t") / f"t{ending}"
    path.write_bytes((magic.get(ending, b"[{") if is_marked else b"") + body)
    assert not isinstance(studied(path), RotastackError)


def test_a_field_of_a_megabyte(tmp_path):
    (tmp_path / "t.csv").write_text("a,y\n" + "x" * 1_000_000 + ",1\nb,2\n")
    assert read_with_notes(tmp_path / "t.csv")[0].shape == (2, 2)
