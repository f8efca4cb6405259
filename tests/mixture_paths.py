"""Paths of a table of any columns through the package: each ends in a result or in one clear line."""

import io
import re
import warnings
from contextlib import chdir, redirect_stderr, redirect_stdout
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd
from sklearn.base import clone, is_regressor

from rotastack import RotastackClassifier, RotastackRegressor
from rotastack.base.preprocessing import TablePreprocessor
from rotastack.cli import main
from rotastack.data.raw import read_raw, write_raw
from rotastack.data.tables import read_table
from rotastack.errors import RotastackError

_SAID = (
    "no columns",
    "no rows",
    "column name",
    "is not text",
    r"the table has \d+ rows",
    "0 sample",
    "minimum of 1 is required",
    r"features, but \w+ is expecting",
    r"[Cc]olumn \d+",
    "all columns",
    "rows of X are equal",
    r"columns \d+ and \d+ are both",
    r"\bx\d+\b",
)
"""What is clear without the name of a column: the table as a whole, or a number or a name that an array's column gets."""


class UnclearError(AssertionError):
    """A table ends neither in a result nor in one line that names a column."""


def clear(error, frame, *others):
    """Return whether an error is of one line that names a column, or says that there are none."""
    text = str(error)
    if text.startswith(("The feature names should match", "Feature names are only", "Expected unique column names")):
        return True  # scikit-learn's own, which has a line for each column
    names = [c for table in (frame, *others) for c in table.columns]
    is_one_line = "\n" not in text or any("\n" in str(name) for name in names)
    is_named = any(repr(c) in text or str(c) in text for c in names) or re.search("|".join(_SAID), text)
    return isinstance(error, ValueError | TypeError) and is_one_line and bool(is_named)


def asked(function, frame, *others):
    """Return what a function returns, or None if it ends in one line."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            found = function()
        except Exception as error:
            if not clear(error, frame, *others):
                raise UnclearError(f"{type(error).__name__}: {error}") from error
            return None
    texts = [str(w.message) for w in told if issubclass(w.category, UserWarning)]
    assert sum(text.startswith("columns left out") for text in texts) <= 1, texts
    odd = [w for w in told if not issubclass(w.category, UserWarning) and "rotastack" in w.filename]
    assert not odd, (
        f"a warning of a library: {odd[0].category.__name__}: {odd[0].message} ({odd[0].filename}:{odd[0].lineno})"
    )
    return found


def flagship(mixture, kind):
    """Fit a flagship, and predict the training rows and new ones."""
    frame = mixture.frame()
    number = kind is RotastackRegressor
    families = [("rotations",), ("rotations", "pairs"), ("boosted", "kernel"), None][mixture.seed % 4]
    model = kind(4, random_state=0, **({} if families is None else {"families": families}))
    X = mixture.given(frame)
    fitted = asked(lambda: model.fit(X, mixture.y(number)), frame)
    if fitted is None:
        return "refused"
    assert np.isclose(model.feature_importances_.sum(), 1) or not model.feature_importances_.any()
    assert model.feature_importances_.shape == (frame.shape[1],)
    answer = model.predict if number else model.predict_proba
    found = asked(lambda: answer(X), frame)
    assert found is not None, "rows of the training table are refused"
    _sound(found, len(frame), number)
    new = mixture.new(frame)
    found = asked(lambda: answer(mixture.given(new, "pandas" if mixture.change == "library" else None)), frame, new)
    if found is not None:
        _sound(found, len(new), number)
    return "predicted" if found is not None else "refused later"


def _sound(found, n, number):
    assert len(found) == n
    assert np.isfinite(np.asarray(found, dtype=float)).all()
    if not number:
        assert np.allclose(found.sum(axis=1), 1)


def others(mixture):
    """Fit one of the other public estimators, which take numbers alone, and let it predict or transform new rows."""
    from tests.test_estimator_checks import FIRST

    frame, model = mixture.frame(), clone(FIRST[mixture.seed % len(FIRST)])
    y = mixture.y(is_regressor(model))
    X = mixture.given(frame)
    try:
        if asked(lambda: model.fit(X, y), frame) is None:
            return "refused"
        answer = getattr(model, "predict", None) or model.transform
        new = mixture.new(frame)
        found = asked(lambda: answer(mixture.given(new)), frame, new)
    except UnclearError as error:
        raise UnclearError(f"{type(model).__name__} {error}") from error.__cause__
    assert found is None or len(found) == len(new)
    return "predicted" if found is not None else "refused later"


def preprocessor(mixture):
    """Encode the training table and new rows."""
    frame = mixture.frame()
    X, new = mixture.given(frame), mixture.new(frame)
    reader = TablePreprocessor(encoding=("dummies", "onehot", "codes")[mixture.seed % 3])
    if asked(lambda: reader.fit(X), frame) is None:
        return "refused"
    found = asked(lambda: reader.transform(X), frame)
    if found is None:
        assert not reader.needed_
        return "refused"
    names, parts = reader.get_feature_names_out(), reader.parts_
    assert (found.shape, found.dtype) == ((len(frame), len(names)), np.float64)
    assert not np.isinf(found).any()
    assert np.concatenate(parts).tolist() == list(range(len(names)))
    assert (len(parts), len(reader.categorical_)) == (len(reader.needed_), len(names))
    assert set(reader.needed_) | set(reader.dropped_) == set(reader.kinds_)
    later = asked(lambda: reader.transform(mixture.given(new)), frame, new)
    assert later is None or later.shape == (len(new), len(names))
    in_pandas = (
        later is not None and mixture.library == "pandas"
    )  # other libraries may refuse a table, and hold its rows
    for k in range(0, len(new) * in_pandas, 7):  # a row does not depend on the rows beside it
        alone = asked(lambda k=k: reader.transform(new.iloc[[k]]), frame, new)
        np.testing.assert_allclose(alone, later[[k]], rtol=1e-6, atol=1e-9)
    return "encoded" if later is not None else "refused later"


def reading(mixture):
    """Read a table in memory, from CSV and from Parquet."""
    frame = mixture.frame().assign(label=np.asarray(mixture.y(), dtype=object))
    found = asked(lambda: read_table(frame if mixture.library == "NumPy" else mixture.given(frame), "label"), frame)
    with TemporaryDirectory() as folder:
        path = Path(folder, "t.csv")
        frame.to_csv(path, index=False)
        asked(lambda: read_table(path, "label"), frame)
        if found is None:
            return "refused"
        X, y = found
        assert len(X) == len(y) == mixture.rows
        raw = X.drop(columns="target", errors="ignore").assign(target=y)
        write_raw(raw, Path(folder, "t.parquet"))
        pd.testing.assert_frame_equal(read_raw(Path(folder, "t.parquet")), raw)
        asked(lambda: read_table(Path(folder, "t.parquet"), "target"), frame)
        new = mixture.new(X)
        later = asked(lambda: read_table(mixture.given(new), like=X), frame, new)
    return "read" if later is not None else "refused later"


def _command(*arguments):
    """Run a command; a RotastackError with its last line if it is refused."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        code = main(list(arguments))
    if code:
        text = err.getvalue().strip()
        assert "Traceback" not in text
        raise RotastackError(text.splitlines()[-1])
    return out.getvalue()


def commands(mixture):
    """Print the plan of a comparison, fit, and predict new rows, all of files."""
    frame = mixture.frame().assign(label=np.asarray(mixture.y(), dtype=object))
    found = asked(lambda: read_table(frame, "label"), frame) if mixture.seed % 2 else None
    with TemporaryDirectory() as folder, chdir(folder):
        name, target = ("t.csv", "label") if found is None else ("t.parquet", "target")
        if found is not None:
            write_raw(found[0].assign(target=found[1]), name)
        frame.to_csv("t.csv", index=False)
        planned = asked(lambda: _command("run", name, "--target", target, "--dry-run", "--cores", "1"), frame)
        fit = ("fit", name, "--target", target, "--out", "m.skops", "--estimator", "forest", "--set", "n_estimators=3")
        fitted = asked(lambda: _command(*fit), frame)
        if fitted is None:
            return "refused"
        new = mixture.new(frame)
        new.to_csv("new.csv", index=False)
        later = asked(lambda: _command("predict", "--model", "m.skops", "new.csv", "--output", "p.csv"), frame, new)
        if later is not None:
            assert len(pd.read_csv("p.csv")) <= len(new)
    return "planned and predicted" if planned and later is not None else "refused later"


PATHS = {
    "classifier": partial(flagship, kind=RotastackClassifier),
    "regressor": partial(flagship, kind=RotastackRegressor),
    "others": others,
    "preprocessor": preprocessor,
    "reading": reading,
    "commands": commands,
}
