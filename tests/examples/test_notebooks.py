"""The notebooks are those of the scripts beside them, and run from the first cell to the last."""

import ast
import importlib.util
import json
import re
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
NOTEBOOKS = sorted(path.stem for path in FOLDER.glob("*.ipynb"))


@pytest.fixture(scope="module")
def make():
    spec = importlib.util.spec_from_file_location("make_notebooks", ROOT / "tools/make_notebooks.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.notebook


def cells(name, kind):
    document = json.loads((FOLDER / f"{name}.ipynb").read_text(encoding="utf-8"))
    return ["".join(cell["source"]) for cell in document["cells"] if cell["cell_type"] == kind]


def run(name, tmp_path, monkeypatch, **other):
    """Run the cells of code in order, and show the last expression of each; `other` replaces names they set."""
    monkeypatch.chdir(tmp_path)
    before = sorted(tmp_path.iterdir())
    plt.switch_backend("agg")
    plt.close("all")
    names, shown = {}, []
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", "FigureCanvasAgg is non-interactive")
        for source in cells(name, "code"):
            tree = ast.parse(source)
            last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
            exec(compile(tree, name, "exec"), names)
            names |= {key: value for key, value in other.items() if key in names}
            if last is not None:
                value = eval(compile(ast.Expression(last.value), name, "eval"), names)
                shown += [] if value is None else [value._repr_html_()]
    figures = [plt.figure(number) for number in plt.get_fignums()]
    for figure in figures:
        figure.canvas.draw()
    plt.close("all")
    assert sorted(tmp_path.iterdir()) == before, "a notebook leaves no files behind"
    assert figures
    return SimpleNamespace(**names, figures=figures, shown=shown)


def test_both_are_there():
    assert NOTEBOOKS == ["reproduce_a_published_figure", "your_table_in_five_minutes"]


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_a_notebook_is_that_of_its_script_without_outputs(name, make):
    text = (FOLDER / f"{name}.ipynb").read_text(encoding="utf-8")
    assert text == make((FOLDER / f"{name}.py").read_text(encoding="utf-8")), "run tools/make_notebooks.py"
    document = nbformat.reads(text, as_version=4)
    nbformat.validate(document)
    assert not any(cell.get("outputs") or cell.get("execution_count") for cell in document.cells)
    title, paragraph, *_ = cells(name, "markdown")[0].split("\n\n")
    assert title.startswith("# ")
    assert re.match(r"[^.?]*\?", paragraph.replace("\n", " ")), "the first sentence is a question"


def test_cells_of_a_script(make):
    made = json.loads(make("# %% [markdown]\n# # A\n#\n# b\n\n# %%\nx = 1\n\n\nx + 1\n"))["cells"]
    assert [cell["cell_type"] for cell in made] == ["markdown", "code"]
    assert ["".join(cell["source"]) for cell in made] == ["# A\n\nb", "x = 1\n\n\nx + 1"]
    with pytest.raises(ValueError, match="starts by a cell"):
        make("import os\n# %%\n")
    with pytest.raises(ValueError, match="a cell is of code"):
        make("# %% [raw]\n")


@pytest.mark.slow
def test_the_table_that_is_drawn(tmp_path, monkeypatch):
    ran = run("your_table_in_five_minutes", tmp_path, monkeypatch)
    mean = {name: values.mean() for name, values in ran.errors.items()}
    assert mean["Rotastack"] < mean["HistGradientBoosting"] < mean["most common class"]
    assert abs(1 - ran.forest.oob_score_ - mean["Rotastack"]) < 0.02
    assert ran.X.columns[ran.order][0] == "region"
    assert len(ran.shown) == 2


@pytest.mark.slow
def test_a_table_of_ones_own(tmp_path, monkeypatch):
    wine = load_wine(as_frame=True).frame.rename(columns={"target": "cultivar"})
    wine["cultivar"] = wine["cultivar"].map({0: "a", 1: "b", 2: "c"})
    wine.loc[::9, "hue"] = np.nan
    wine.to_csv(tmp_path / "wine.csv", index=False)
    ran = run("your_table_in_five_minutes", tmp_path, monkeypatch, TABLE="wine.csv", TARGET="cultivar")
    assert ran.X.shape == (178, 13)
    assert list(ran.forest.classes_) == ["a", "b", "c"]
    assert ran.errors["Rotastack"].mean() < 0.06


@pytest.mark.slow
def test_printed_numbers_beside_ours(tmp_path, monkeypatch):
    ran = run("reproduce_a_published_figure", tmp_path, monkeypatch)
    ours = ran.draws.groupby("method")[["error", "members"]].agg(["min", "max"])
    assert sorted(ours.index) == sorted(ran.printed.index)
    assert len(ran.draws) == 40
    for method, numbers in ran.printed.iterrows():
        low, high = ours.loc[method, "error"]
        assert low <= numbers["error"] <= high
    assert ours.loc["QMM RF", ("members", "min")] <= ran.printed.loc["QMM RF", "members"]
    assert ours.loc["QMM RF", ("members", "max")] >= ran.printed.loc["QMM RF", "members"]
    assert ours.loc["QMM AdaBoost", ("members", "min")] > ran.printed.loc["QMM AdaBoost", "members"]
    assert ours.drop(["RF", "AdaBoost"])["members"].max(axis=None) < 200
    assert len(ran.figures) == 2
