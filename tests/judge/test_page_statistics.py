"""What the page computes by JavaScript for a reader's choice equals what rotastack.stats computes."""

import json
import shutil
import subprocess

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import average_precision_score, roc_auc_score
from tests.quick import first

from rotastack.project import project_file
from rotastack.stats import average_ranks, critical_difference, improvability, wilcoxon_holm, win_matrix
from rotastack.stats.calibration import threshold_counts
from rotastack.workflow.judge.leaderboard import Metric, leaderboard
from rotastack.workflow.judge.results import relative_times

CLOSE = {"rtol": 1e-12, "atol": 1e-12}

SCRIPT = """
const fs = require("fs");
require("vm").runInThisContext(fs.readFileSync(process.argv[1], "utf8"));
const calls = JSON.parse(fs.readFileSync(0, "utf8"));
process.stdout.write(JSON.stringify(calls.map(([name, ...given]) => globalThis[name](...given))));
"""


def calculated(calls):
    """Return the results of functions of statistics.js, from Node.js; a call is a name and arguments."""
    script = project_file("workflow/report/statistics.js")
    node = shutil.which("node")
    if node is None:
        # Node.js is a program of the system, not of the lock file; tests/browser runs the same script in Chromium.
        pytest.skip("Node.js is missing, which runs the page's script: apt-get install nodejs")
    given = json.dumps(calls)
    answer = subprocess.run([node, "-e", SCRIPT, str(script)], input=given, capture_output=True, text=True, check=False)
    assert answer.returncode == 0, answer.stderr
    return json.loads(answer.stdout)


def random_table(rng, k, n, digits, holes=0.0):
    """Errors with ties (few digits) and, as a share, missing cells; each method has one, each data set two."""
    errors = pd.DataFrame(rng.uniform(0, 0.5, (n, k)).round(digits), columns=[f"m{j}" for j in range(k)])
    gone = rng.random((n, k)) < holes
    gone[0] = False
    gone[:, :2] = False
    return errors.mask(gone)


def viewed(metric, datasets, methods, *, control=0, pairs=0, **given):
    """Return the content of a page, and the board of a reader's choice: numbers of data sets and of methods."""
    content = leaderboard([metric], metric.scores.columns[0], **given)
    view = {"metric": 0, "datasets": datasets, "methods": methods, "control": control, "pairs": pairs}
    return content, calculated([("boardOf", content, view)])[0]


SIZES = [(3, 2, 9), (4, 3, 2), (6, 5, 1), (6, 14, 1), (8, 12, 9), (31, 41, 2), (3, 13, 1)]


@pytest.mark.parametrize("higher", [False, True])
@pytest.mark.parametrize(("k", "n", "digits"), first(3, SIZES))
def test_a_choice_is_described_and_not_tested(k, n, digits, higher):
    scores = random_table(np.random.default_rng(n), k, n, digits)
    metric = Metric("score", "score", higher, scores, optimum=1.0 if higher else 0.0)
    methods, datasets = list(range(1, k)), list(range(n - 1))
    _, found = viewed(metric, datasets, methods, control=1)
    chosen = scores.iloc[:-1, 1:]
    np.testing.assert_allclose(found["ranks"]["mean"], average_ranks(chosen, higher), **CLOSE)
    np.testing.assert_allclose(found["gap"]["mean"], improvability(chosen, higher).mean(), **CLOSE)
    np.testing.assert_allclose(found["wins"], win_matrix(chosen, higher), **CLOSE)
    wanted = wilcoxon_holm(chosen, "m1", higher)
    assert found["against"][0] is None
    assert found["against"][1:] == wanted[["wins", "ties", "losses"]].to_dict("records")
    if n > 2:
        assert found["critical_difference"] == pytest.approx(critical_difference(k - 1, n - 1), rel=1e-12)
    assert not {"elo", "tests"} & set(found)
    assert set(found["ranks"]) == set(found["gap"]) == {"mean"}


def test_the_first_view_has_the_tests_of_python():
    """Another control has wins and times, and no p-values."""
    scores = random_table(np.random.default_rng(7), 4, 12, 2)
    metric = Metric("error", "error", False, scores, optimum=0)
    times = {"fit": scores + 1}
    everything = list(range(12)), list(range(4))
    content, found = viewed(metric, *everything, times=times)
    python = content["boards"][0]
    assert {key: found[key] for key in python} == python
    _, other = viewed(metric, *everything, control=2, times=times)
    for key in ("ranks", "gap", "elo", "tests"):
        assert other[key] == python[key]
    assert other["against"][0] == wilcoxon_holm(scores, "m2", False).loc["m0", ["wins", "ties", "losses"]].to_dict()
    _, paired = viewed(metric, *everything, pairs=1)
    assert "elo" not in paired


def test_missing_cells():
    for k, n, holes in [(3, 9, 0.5), (8, 25, 0.3), (20, 30, 0.9)]:
        scores = random_table(np.random.default_rng(1), k, n, 1, holes)
        _, found = viewed(Metric("e", "e", False, scores), list(range(n)), list(range(k)), control=2, pairs=1)
        assert found["datasets"] == np.flatnonzero(scores.notna().all(axis=1)).tolist()
        np.testing.assert_allclose(found["ranks"]["mean"], average_ranks(scores.dropna(), False), **CLOSE)
        got = np.array(found["wins"], dtype=float)  # null: the pair shares no data set
        np.testing.assert_allclose(got, win_matrix(scores, False, missing="pairs"), **CLOSE)
        wanted = wilcoxon_holm(scores, "m2", False, missing="pairs")
        wanted = wanted[wanted["p"].notna()][["wins", "ties", "losses"]].to_dict("index")
        assert {m: row for m, row in zip(scores, found["against"], strict=True) if row} == wanted


def test_times_as_multiples_of_the_control():
    """The page computes them anew for each choice; seconds that are 0 or missing for the control say nothing."""
    seconds = pd.DataFrame(
        {"RF": [2.0, 0.0, np.nan, 0.5, 4.0], "A": [3.0, 1.0, 1.0, np.nan, 1.0], "B": np.nan}, list("vwxyz")
    )
    errors = pd.DataFrame(np.random.default_rng(4).uniform(0, 1, (5, 3)), seconds.index, seconds.columns)
    times = {"fit": seconds, "predict": seconds / 3}
    for control in (0, 1):
        for rows in ([0, 1, 2, 3, 4], [0, 3, 4]):
            _, found = viewed(Metric("e", "e", False, errors), rows, [0, 1, 2], control=control, times=times)
            chosen = {kind: table.iloc[rows] for kind, table in times.items()}
            for kind, ratios in relative_times(chosen, errors.columns[control]).items():
                np.testing.assert_allclose(np.array(found[kind], dtype=float), ratios.median(), **CLOSE)


def test_decisions_at_thresholds_and_curves():
    """Counts at each threshold, and between thresholds; the points of both curves equal scikit-learn's."""
    rng = np.random.default_rng(5)
    y = rng.random(300) < 0.3
    proba = (rng.random(300) * 0.6 + 0.4 * y * rng.random(300)).round(2)
    curve = {**threshold_counts(y, proba), "positives": int(y.sum()), "negatives": int((~y).sum())}
    thresholds = [0.005, 0.2, 0.333, 1.0, *curve["threshold"][:3]]
    *found, roc, precision = calculated(
        [*(("decisionsAt", curve, t) for t in thresholds), ("curvePoints", curve, True), ("curvePoints", curve, False)]
    )
    for threshold, counts in zip(thresholds, found, strict=True):
        chosen = proba >= threshold
        assert (counts["right"], counts["wrong"]) == ((chosen & y).sum(), (chosen & ~y).sum())
        assert counts["recall"] == pytest.approx((chosen & y).sum() / y.sum())
    x, recall = np.array(roc).T
    assert np.trapezoid(recall, x) == pytest.approx(roc_auc_score(y, proba))
    assert roc[0] == [0, 0]
    assert roc[-1] == [1, 1]
    recall, rate = np.array(precision).T
    assert (np.diff(recall, prepend=0) * rate).sum() == pytest.approx(average_precision_score(y, proba))


def test_cliques_and_the_pareto_front():
    points = [{"x": x, "y": y} for x, y in [(3, 1), (1, 2), (2, 2), (1, 3), (4, 0.5)]]
    runs, alone, front = calculated(
        [("cliques", [1, 1.5, 2.4, 4, 4.2], 1.5), ("cliques", [1, 3, 5], 1.5), ("paretoFront", points)]
    )
    assert runs == [[0, 2], [3, 4]]
    assert alone == []
    assert front == [points[1], points[0], points[4]]
