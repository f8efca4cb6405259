"""Methods are compared on a table in memory as ``rotastack run`` compares them on a file."""

import re
import sys
import warnings

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.metrics import accuracy_score
from tests.own_tables import visits
from tests.refusals import refusal
from tests.workflow.test_own_tables import mixed, numbers

from rotastack import compare_methods
from rotastack.cli import main
from rotastack.cli.answer import Answer
from rotastack.workflow.judge.results import best_first
from rotastack.workflow.run import own_table
from rotastack.workflow.run.in_process import _target_and_table
from rotastack.workflow.run.launch import plan_of
from rotastack.workflow.tracking.model_files import load_model

FORESTS = ["Random forest", "Extra trees"]


def flowers(n=90):
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(n, 3)), columns=["height", "width", "weight"])
    return X, pd.Series(np.where(X["height"] + rng.normal(size=n) / 3 > 0, "tall", "<short>"), name="kind")


X, y = flowers()


def compared(X, y, **options):
    """Return a comparison in this process, without warnings."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return compare_methods(X, y, **{"methods": FORESTS, "n_jobs": 1, **options})


@pytest.fixture(scope="module")
def found():
    return compared(*flowers())


@pytest.mark.slow
@pytest.mark.parametrize(
    ("table", "target", "options"),
    [
        (mixed(200), "churned", {"methods": "all but Extra trees, Random rotations, XGBoost, LightGBM, CatBoost"}),
        (
            numbers(200).assign(shop=np.arange(200) % 23),
            "price",
            {"methods": "Rotastack, Random forest, Ridge", "score": "mae", "groups": "shop"},
        ),
    ],
)
def test_the_command_gives_the_same_bits(here, table, target, options, capsys):
    table.to_csv("t.csv", index=False)
    words = [word for name, value in options.items() for word in (f"--{name}", value)]
    assert main(["run", "t.csv", "--target", target, "--size", "small", "--cores", "2", *words]) == 0
    screen = capsys.readouterr().out
    X = pd.read_csv("t.csv")
    y = X.pop(target)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = compare_methods(X, y, n_jobs=2, name="t", **options)
    answer = Answer(plan_of("studies/t.yaml"))
    assert "\n".join(answer.sentences) in screen
    assert found.verdict == [
        text.replace("add --time", "use the command rotastack run with --time") for text in answer.sentences
    ]
    pd.testing.assert_frame_equal(found.table, best_first(answer.scores, answer.score), check_exact=True)
    pd.testing.assert_frame_equal(found.scores, pd.read_parquet("results/t/scores.parquet"), check_exact=True)
    model = load_model("results/t/t/model/model.skops")
    assert str(found.best_estimator_) == str(model)
    for method in ("predict", "predict_proba"):
        if hasattr(model, method):
            np.testing.assert_array_equal(getattr(found.best_estimator_, method)(X), getattr(model, method)(X))


def test_the_result_has_scores_sentences_and_a_model_and_no_file_is_written(here):
    found = compared(X, y)
    assert list(here.iterdir()) == []
    assert sorted(found.table.index) == sorted(FORESTS)
    assert found.table.columns[0] == found.score == "error"
    assert found.table["error"].is_monotonic_increasing
    means = found.scores.groupby("method")["error"].mean()
    np.testing.assert_allclose(found.table["error"], means[found.table.index], atol=1e-9)
    assert found.verdict[0].startswith(f"{found.table.index[0]}: error ")
    assert accuracy_score(y, found.best_estimator_.predict(X)) > 0.9
    assert "\n".join(found.verdict) in repr(found)


@pytest.mark.slow
def test_scores_depend_on_the_seed_and_the_name_and_not_on_processes(found):
    pd.testing.assert_frame_equal(compared(X, y, n_jobs=2).scores, found.scores, check_exact=True)
    for other in ({"random_state": 1}, {"name": "other"}):
        assert not compared(X, y, **other).scores["log_loss"].equals(found.scores["log_loss"])


def test_arrays_and_rows_of_another_index_are_taken_in_their_order(found):
    mixed_up = compared(X.set_axis(np.arange(90)[::-1]), y.set_axis(np.arange(90) + 7))
    pd.testing.assert_frame_equal(mixed_up.scores, found.scores, check_exact=True)
    of_array = compared(X.to_numpy(), y.to_numpy().reshape(-1, 1))
    pd.testing.assert_frame_equal(of_array.scores, found.scores, check_exact=True)
    assert of_array.best_estimator_.predict(X.to_numpy()[:3]).tolist() == found.best_estimator_.predict(X[:3]).tolist()


def test_a_figure_and_a_page_of_the_result(found):
    axes = found.plot()
    assert axes.get_xlabel() == "error on test rows"
    assert [label.get_text() for label in axes.get_yticklabels()] == FORESTS
    assert plt.gcf() is axes.figure
    plt.close(axes.figure)
    hostile = type(found)(found.table, ["<short> wins"], None, found.scores, "error")
    assert "<p>&lt;short&gt; wins</p>" in hostile._repr_html_()


def test_rows_of_a_group_stay_together_and_the_model_needs_no_group():
    table, target = visits(40)
    y = table.pop(target)
    found = compared(table, y, groups="patient_id")
    assert not found.scores.equals(compared(table.drop(columns="patient_id"), y).scores)
    assert len(found.best_estimator_.predict(table.drop(columns="patient_id"))) == len(table)


@pytest.mark.slow
def test_a_short_time_means_fewer_splits():
    usual, short = (compared(X, y, size="medium", time=time) for time in (None, 0.5))
    assert len(short.scores) < len(usual.scores)
    pd.testing.assert_frame_equal(compared(X, y, size="medium", time="0.5s").scores, short.scores)


def test_a_method_that_fails_is_named_and_the_others_are_compared(monkeypatch):
    def fit(self, X, y, **parameters):
        raise FloatingPointError("too steep")

    monkeypatch.setattr(HistGradientBoostingClassifier, "fit", fit)
    found = compared(*flowers(), methods=[*FORESTS, "HistGradientBoosting"])
    assert found.table["error"].isna().to_dict() == {m: m not in FORESTS for m in found.table.index}
    assert "HistGradientBoosting" in found.verdict[-1]
    assert "too steep" in found.verdict[-1]
    assert found.best_estimator_ is not None


@pytest.mark.parametrize(
    ("place", "raised", "said"),
    [
        ("splits.fitted", MemoryError(), "all methods failed: Random forest: the pool failed: .* out of memory"),
        (
            "steps.refit.refit",
            FloatingPointError("too steep"),
            "(Random forest|Extra trees): FloatingPointError: too steep$",
        ),
    ],
)
def test_without_a_model_the_reason_is_told(monkeypatch, place, raised, said):
    def fail(*args, **kwargs):
        raise raised

    monkeypatch.setattr(f"rotastack.workflow.run.{place}", fail)
    with pytest.warns(UserWarning, match=f"^no model: {said}"):
        found = compare_methods(*flowers(), methods=FORESTS, n_jobs=1)
    assert found.best_estimator_ is None
    assert (found.verdict == ["No method has a score; a warning says why."]) == isinstance(raised, MemoryError)
    plt.close(found.plot().figure)


def test_what_is_left_out_is_told(monkeypatch):
    X, y = flowers()
    X = X.assign(customer_id=np.arange(1000, 1090), colour="red")
    monkeypatch.setattr(own_table, "_memory", lambda: 500.0)
    needed = own_table.Resources.usual_mb
    monkeypatch.setattr(
        own_table.Resources, "usual_mb", lambda self, d, pool: 9e9 if pool == "forest" else needed(self, d, pool)
    )
    with pytest.warns(UserWarning, match="left out") as told:
        found = compare_methods(X, y.where(y.index > 2), methods=[*FORESTS, "Logistic regression"], n_jobs=1)
    assert [str(w.message) for w in told] == [
        "3 rows without a target are left out",
        "columns left out: customer_id (id: by its name and 87 different values in 87 rows), colour (constant: one value only)",
        "methods left out for lack of memory: Random forest",
    ]
    assert {w.filename for w in told} == {__file__}
    assert "Random forest" not in found.table.index


@pytest.mark.slow
def test_a_bar_is_shown_on_a_terminal_alone(capsys, monkeypatch):
    compared(*flowers())
    assert capsys.readouterr() == ("", "")
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    compared(*flowers())
    out, err = capsys.readouterr()
    assert out == ""
    assert [bar.strip()[20:] for bar in err.split("\r")[1:]] == [f" {k} of 2 trainings" for k in range(3)]


WRONG = [
    (X, None, {}, "y is missing; pass the target"),
    (X, y[:50], {}, "X has 90 rows, but y has 50 values"),
    ([1, 2, 3], y, {}, "X must be a table of rows and columns"),
    (csr_array(X), y, {}, "X must be a table of rows and columns, which is not sparse"),
    (X, X, {}, "y must have one dimension"),
    (X, np.c_[y, y], {}, "y must have one dimension"),
    (X, [[kind, kind] for kind in y], {}, "y must have one dimension"),
    (X.assign(kind=1), y, {}, "X: column 'kind' has the name of the target"),
    (X.assign(target=1), y, {}, "X: column 'target' has the name of the target"),
    (X.set_axis([0, "b", "c"], axis=1), y, {}, "X: column 0 has a name that is not text"),
    (X, np.full(90, np.inf), {}, "table: the target "),
    (X[:12], y[:12], {}, "table: the table has 12 rows; at least 20 are needed"),
    (
        X,
        y,
        {"methods": ["Random forrest", "Ridge"]},
        "methods: 'Random forrest' is not a method; did you mean 'Random forest'; methods: ",
    ),
    (X, y, {"methods": "Rotastack"}, "methods: 'Rotastack' leaves 1 of "),
    (X, y, {"score": "acuracy"}, "score: 'acuracy' "),
    (X, y, {"score": "rmse"}, "score: 'rmse' "),
    (X, y, {"size": "tiny"}, "size: 'tiny' is not a size for tables; allowed: small, medium, full"),
    (X, y, {"groups": "hight"}, "table: groups: column 'hight' not found; did you mean 'height'"),
    (X, y, {"groups": "kind"}, "table: groups: column 'kind' is the target"),
    (X, y, {"time": "soon"}, "time: 'soon' is not a duration; examples: 90s, 10m, 2h"),
    (X, y, {"random_state": -1}, "random_state: seed"),
]


@pytest.mark.parametrize(("X", "y", "options", "said"), WRONG, ids=[said[:40] for *_, said in WRONG])
def test_what_is_wrong_is_one_line_that_names_it(X, y, options, said):
    line = refusal(compare_methods, X, y, n_jobs=1, **options)
    assert said in line
    assert "--" not in line


def test_a_target_may_be_named_like_a_parameter_and_rows_are_those_in_order():
    X, y = flowers(3)
    for name in ("self", "kind"):
        target, table = _target_and_table(X, y.rename(name).set_axis([2, 0, 1]))
        assert (target, table[name].tolist(), [*X]) == (name, y.tolist(), ["height", "width", "weight"])


def test_sentences_name_parameters_and_not_options_or_files():
    rng = np.random.default_rng(0)
    days = pd.date_range("2020-01-01", periods=300)
    X = pd.DataFrame(
        {"seen on": days, "patient id": np.arange(300) % 60, "a": rng.normal(size=300), "b": rng.normal(size=300)}
    )
    rare = np.where(X["a"] + rng.normal(size=300) > 2.2, "yes", "no")
    tail = np.exp(3 * rng.normal(size=300))
    of_classes, of_numbers = (
        " ".join(compared(X, y, methods=["Random forest", model]).verdict)
        for y, model in ((rare, "Logistic regression"), (tail, "Ridge"))
    )
    for words in (
        "rotastack run with --time-column 'seen on'.",
        "with groups='patient id'",
        "(best_estimator_), threshold=0.",
    ):
        assert words in of_classes
    assert "which score=mae compares" in of_numbers
    assert not re.search("--(groups|score)|the report", of_classes + of_numbers)


def test_copies_of_a_row_are_not_counted_as_rows():
    X, y = flowers(60)
    assert "; 60 held-out distinct rows" in str(compared(pd.concat([X, X[:30]]), pd.concat([y, y[:30]])).verdict)


def test_the_unit_of_the_target_makes_no_difference():
    X, _ = flowers(40)
    y = X["height"] + X["width"] ** 2
    usual, tiny = (compared(X, y * 2.0**power, methods=["Ridge", "Random forest"]) for power in (0, -60))
    columns = ["rmse", "mae"]
    np.testing.assert_allclose(tiny.table[columns] * 2.0**60, usual.table[columns], rtol=1e-9)
    assert [re.findall(r"p [=<] \S+", text) for text in tiny.verdict] == [
        re.findall(r"p [=<] \S+", text) for text in usual.verdict
    ]
