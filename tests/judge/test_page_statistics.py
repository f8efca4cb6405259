"""What the page computes by JavaScript equals what rotastack.stats computes."""

import json
import shutil
import subprocess

import numpy as np
import pandas as pd
import pytest
from scipy.special import betainc
from scipy.stats import norm, studentized_range
from sklearn.metrics import average_precision_score, roc_auc_score

from rotastack.judge.leaderboard import Metric, leaderboard
from rotastack.judge.results import relative_times
from rotastack.project import project_file
from rotastack.stats.bootstrap_ranks import bootstrap_ranks
from rotastack.stats.calibration import threshold_counts
from rotastack.stats.elo import elo
from rotastack.stats.friedman import friedman
from rotastack.stats.improvability import improvability
from rotastack.stats.nemenyi import critical_difference
from rotastack.stats.resamples import bootstrap_means, resamples
from rotastack.stats.wilcoxon import signed_rank_p, wilcoxon_holm
from rotastack.stats.win_matrix import win_matrix

CLOSE = {"rtol": 1e-9, "atol": 1e-9}

SCRIPT = """
const fs = require("fs");
require("vm").runInThisContext(fs.readFileSync(process.argv[1], "utf8"));
const plain = (_, v) => (ArrayBuffer.isView(v) ? Array.from(v) : v === Infinity ? "Infinity" : v);
const calls = JSON.parse(fs.readFileSync(0, "utf8"), (_, v) => (v === "NaN" ? NaN : v));
process.stdout.write(JSON.stringify(calls.map(([name, ...given]) => globalThis[name](...given)), plain));
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


def as_table(scores):
    return [["NaN" if np.isnan(v) else v for v in row] for row in scores.to_numpy().tolist()]


def random_table(rng, k, n, digits, holes=0.0):
    """Errors with ties (few digits) and, as a share, missing cells; each method has one, each data set two."""
    errors = pd.DataFrame(rng.uniform(0, 0.5, (n, k)).round(digits), columns=[f"m{j}" for j in range(k)])
    gone = rng.random((n, k)) < holes
    gone[0] = False
    gone[:, :2] = False
    return errors.mask(gone)


TABLES = [
    (k, n, digits, higher)
    for k, n, digits in [(2, 2, 3), (2, 13, 1), (3, 1, 2), (3, 2, 9), (5, 4, 1), (7, 3, 9), (4, 14, 1), (5, 12, 9), (6, 50, 9), (7, 51, 9), (9, 30, 2), (30, 40, 2)]
    for higher in (False, True)
]  # fmt: skip


@pytest.fixture(scope="module")
def tables():
    rng = np.random.default_rng(0)
    return [(random_table(rng, k, n, digits), higher) for k, n, digits, higher in TABLES]


def test_ranks_elo_improvability_with_intervals(tables):
    found = calculated(
        [
            call
            for scores, higher in tables
            for call in (
                ("ranks", as_table(scores), higher),
                ("elo", as_table(scores), higher, 50, 0.05),
                ("improvability", as_table(scores), higher, 1 if higher else 0),
            )
        ]
    )
    averaged = calculated([("bootstrapMeans", part, 300, 0.2) for part in found[::3] + found[2::3]])
    for i, (scores, higher) in enumerate(tables):
        expected = elo(scores, higher, n_bootstraps=50)
        for column in ("elo", "lower", "upper"):
            got = np.array(found[3 * i + 1][column], dtype=float)  # null: too few data sets
            np.testing.assert_allclose(got, expected[column], **CLOSE)
        ranked = bootstrap_ranks(scores, higher, n_bootstraps=300, alpha=0.2).rename(columns={"average_rank": "mean"})
        gaps = bootstrap_means(improvability(scores, higher), n_bootstraps=300, alpha=0.2)
        for got, wanted in zip((averaged[i], averaged[len(tables) + i]), (ranked, gaps), strict=True):
            for column in ("mean", "lower", "upper"):
                np.testing.assert_allclose(np.array(got[column], dtype=float), wanted[column], **CLOSE)


def test_tests_of_differences(tables):
    tables = [(scores, higher) for scores, higher in tables if len(scores) > 1]
    quantiles = [studentized_range.ppf(0.95, scores.shape[1], np.inf) for scores, _ in tables]
    found = calculated(
        [
            call
            for (scores, higher), q in zip(tables, quantiles, strict=True)
            for call in (
                ("friedman", as_table(scores), higher),
                ("criticalDifference", q, scores.shape[1], len(scores), 0.05),
                ("against", as_table(scores), 0, higher),
                ("winMatrix", as_table(scores), higher),
            )
        ]
    )
    for i, (scores, higher) in enumerate(tables):
        tested, distance, against, won = found[4 * i : 4 * i + 4]
        expected = friedman(scores, higher)
        assert tested["df"] == list(expected.df)
        numbers = [float(tested[name]) for name in ("chi2", "F", "p")]
        np.testing.assert_allclose(numbers, [expected.chi2, expected.F, expected.p], **CLOSE)
        np.testing.assert_allclose(distance, critical_difference(scores.shape[1], len(scores)), **CLOSE)
        wanted = wilcoxon_holm(scores, "m0", higher)
        assert against[0] is None
        got = pd.DataFrame(against[1:], index=wanted.index).rename(columns={"holm": "p_holm"})
        np.testing.assert_allclose(got[wanted.columns], wanted, **CLOSE)
        np.testing.assert_allclose(won, win_matrix(scores, higher), **CLOSE)


def test_missing_cells():
    rng = np.random.default_rng(1)
    tables = [random_table(rng, k, n, 1, holes) for k, n, holes in [(3, 9, 0.5), (8, 25, 0.3), (20, 30, 0.9)]]
    found = calculated(
        [
            call
            for scores in tables
            for call in (
                ("elo", as_table(scores), False, 20, 0.05),
                ("winMatrix", as_table(scores), False),
                ("against", as_table(scores), 2, False),
            )
        ]
    )
    for i, scores in enumerate(tables):
        ratings, won, against = found[3 * i : 3 * i + 3]
        expected = elo(scores, False, n_bootstraps=20, missing="pairs")
        for column in ("elo", "lower", "upper"):
            np.testing.assert_allclose(ratings[column], expected[column], **CLOSE)
        got = np.array(won, dtype=float)  # null: the pair shares no data set
        np.testing.assert_allclose(got, win_matrix(scores, False, missing="pairs"), **CLOSE)
        wanted = wilcoxon_holm(scores, "m2", False, missing="pairs").dropna()  # None: likewise
        got = pd.DataFrame({m: row for m, row in zip(scores, against, strict=True) if row}).T
        np.testing.assert_allclose(
            got.rename(columns={"holm": "p_holm"})[wanted.columns].astype(float), wanted, **CLOSE
        )


def test_times_as_multiples_of_the_control():
    """The page computes them anew for each choice; seconds that are 0 or missing for the control say nothing."""
    seconds = pd.DataFrame(
        {"RF": [2.0, 0.0, np.nan, 0.5, 4.0], "A": [3.0, 1.0, 1.0, np.nan, 1.0], "B": np.nan}, list("vwxyz")
    )
    errors = pd.DataFrame(np.random.default_rng(4).uniform(0, 1, (5, 3)), seconds.index, seconds.columns)
    times = {"fit": seconds, "predict": seconds / 3}
    for control in ("RF", "A"):
        content = leaderboard([Metric("error", "error", False, errors)], control, times=times)
        for rows in ([0, 1, 2, 3, 4], [0, 3, 4]):
            view = {"metric": 0, "methods": [0, 1, 2], "datasets": rows, "control": content["control"], "pairs": 0}
            (found,) = calculated([("boardOf", content, view)])
            for kind, ratios in relative_times({k: t.iloc[rows] for k, t in times.items()}, control).items():
                np.testing.assert_allclose(np.array(found[kind], dtype=float), ratios.median(), **CLOSE)


def test_signed_rank_p_of_each_rule():
    """Exact; all signs tried, where there are few data sets and ties or zeros; normal."""
    rng = np.random.default_rng(2)
    cases = [
        rng.normal(0.3, 1, n).round(digits) for n in (1, 2, 5, 12, 13, 14, 20, 49, 50, 51, 121) for digits in (12, 1, 0)
    ]
    cases += [np.zeros(4), np.array([0, 0, 1.0]), np.ones(13), np.ones(14), np.ones(60), np.array([-1, 1.0] * 20)]
    found = calculated([("wilcoxon", case.tolist()) for case in cases])
    np.testing.assert_allclose(found, [signed_rank_p(case) for case in cases], rtol=1e-9, atol=1e-300)


def test_distributions_and_draws():
    rng = np.random.default_rng(3)
    arguments = [(x, a, b) for a in (0.5, 1, 7.5, 89.5, 10740) for b in (0.5, 2, 60, 89.5) for x in (0, 0.01, 0.3, 0.9, 0.999, 1)]  # fmt: skip
    tails = [0, 1e-6, 0.5, 1.9, 2.8, 2.9, 6, 20]
    values = rng.normal(size=37)
    found = calculated(
        [("incompleteBeta", *a) for a in arguments]
        + [("normalTail", z) for z in tails]
        + [("quantile", sorted(values.tolist()), q) for q in (0, 0.025, 0.5, 0.975, 1)]
        + [("resamples", 121, 50)]
    )
    beta, found = found[: len(arguments)], found[len(arguments) :]
    np.testing.assert_allclose(beta, [betainc(a, b, x) for x, a, b in arguments], rtol=1e-9, atol=1e-300)
    np.testing.assert_allclose(found[: len(tails)], norm.sf(tails), rtol=1e-12)
    quantiles = np.quantile(values, [0, 0.025, 0.5, 0.975, 1])
    np.testing.assert_allclose(found[len(tails) : -1], quantiles, rtol=1e-14)
    assert found[-1] == resamples(121, 50).ravel().tolist()


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
