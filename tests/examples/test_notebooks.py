"""The notebooks are those of the scripts beside them, and run from the first cell to the last."""

import json
import runpy
import warnings
from pathlib import Path
from types import SimpleNamespace

import matplotlib.pyplot as plt
import nbformat
import numpy as np
import pytest
from sklearn.datasets import load_wine

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "examples" / "notebooks"
notebook = runpy.run_path(str(ROOT / "tools/make_notebooks.py"))["notebook"]


def cells(name, kind):
    document = json.loads((FOLDER / f"{name}.ipynb").read_text(encoding="utf-8"))
    return ["".join(cell["source"]) for cell in document["cells"] if cell["cell_type"] == kind]


def run(name, tmp_path, monkeypatch, **other):
    """Run the cells of code in order; `other` replaces names that they set."""
    monkeypatch.chdir(tmp_path)
    before = sorted(tmp_path.iterdir())
    plt.switch_backend("agg")
    plt.close("all")
    names = {}
    with warnings.catch_warnings(action="error"):
        warnings.filterwarnings("ignore", "FigureCanvasAgg is non-interactive")
        for source in cells(name, "code"):
            exec(compile(source, name, "exec"), names)
            names |= {key: value for key, value in other.items() if key in names}
    for number in plt.get_fignums():
        plt.figure(number).canvas.draw()
    plt.close("all")
    assert sorted(tmp_path.iterdir()) == before, "a notebook leaves no files behind"
    return SimpleNamespace(**names)


@pytest.mark.parametrize("name", ["reproduce_a_published_figure", "your_table_in_five_minutes"])
def test_a_notebook_is_that_of_its_script_without_outputs(name):
    text = (FOLDER / f"{name}.ipynb").read_text(encoding="utf-8")
    assert text == notebook((FOLDER / f"{name}.py").read_text(encoding="utf-8")), "run tools/make_notebooks.py"
    document = nbformat.reads(text, as_version=4)
    nbformat.validate(document)
    assert not any(cell.get("outputs") or cell.get("execution_count") for cell in document.cells)


@pytest.mark.slow
def test_a_table_of_ones_own(tmp_path, monkeypatch):
    wine = load_wine(as_frame=True).frame.rename(columns={"target": "cultivar"})
    wine["cultivar"] = wine["cultivar"].map({0: "a", 1: "b", 2: "c"})
    wine.loc[::9, "hue"] = np.nan
    wine.to_csv(tmp_path / "wine.csv", index=False)
    ran = run("your_table_in_five_minutes", tmp_path, monkeypatch, TABLE="wine.csv", TARGET="cultivar")
    assert (ran.X.shape, list(ran.forest.classes_)) == ((178, 13), ["a", "b", "c"])
    assert ran.errors["Rotastack"].mean() < 0.06


@pytest.mark.slow
def test_printed_numbers_beside_ours(tmp_path, monkeypatch):
    ran = run("reproduce_a_published_figure", tmp_path, monkeypatch)
    ours = ran.draws.groupby("method")[["error", "members"]].agg(["min", "max"])
    inside = ours.xs("min", axis=1, level=1).le(ran.printed) & ours.xs("max", axis=1, level=1).ge(ran.printed)
    assert inside["error"].all()
    assert ours.loc["QMM AdaBoost", ("members", "min")] > ran.printed.loc["QMM AdaBoost", "members"]
    assert ours.drop(["RF", "AdaBoost"])["members"].max(axis=None) < 200
