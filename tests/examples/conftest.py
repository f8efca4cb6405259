"""Scripts of the gallery, run once for the tests of a file."""

import runpy
import warnings
from pathlib import Path
from types import SimpleNamespace

import matplotlib.pyplot as plt
import pytest

FOLDER = Path(__file__).parents[2] / "examples"


@pytest.fixture(scope="session")
def gallery(tmp_path_factory):
    """Return a function that runs a script, once, and returns its names and figures; a warning is an error."""
    done = {}
    folder = tmp_path_factory.mktemp("cwd")
    plt.switch_backend("agg")

    def run(name):
        if name not in done:
            plt.close("all")
            with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
                warnings.simplefilter("error")
                warnings.filterwarnings("ignore", "FigureCanvasAgg is non-interactive")
                patch.chdir(folder)
                patch.syspath_prepend(FOLDER)
                names = runpy.run_path(str(FOLDER / f"plot_{name}.py"))
            assert not list(folder.iterdir()), "a script leaves no files behind"
            done[name] = SimpleNamespace(**names, figures=[plt.figure(k) for k in plt.get_fignums()])
        return done[name]

    yield run
    plt.close("all")
