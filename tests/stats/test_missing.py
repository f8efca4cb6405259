"""What a table of scores may not be, and what is done about missing cells: nothing in silence."""

import re

import numpy as np
import pandas as pd
import pytest
from tests.refusals import refusal

from rotastack.errors import RotastackError
from rotastack.stats import (
    average_ranks,
    bayesian_signed_rank,
    bayesian_table,
    bootstrap_means,
    bootstrap_ranks,
    compare,
    elo,
    friedman,
    improvability,
    kendall_w,
    nemenyi,
    variance_components,
    wilcoxon_holm,
    win_matrix,
)
from rotastack.stats.missing import complete_block

NAN = float("nan")


def of_all(table, **options):
    """Return what each statistic makes of a table of errors."""
    return {
        "compare": lambda: compare(table, False, **options).average_ranks,
        "average_ranks": lambda: average_ranks(table, False, **options),
        "friedman": lambda: pd.Series(friedman(table, False, **options)[:2]),
        "nemenyi": lambda: nemenyi(table, False, **options),
        "wilcoxon_holm": lambda: wilcoxon_holm(table, None, False, **options),
        "bayesian_table": lambda: bayesian_table(table, None, False, n_samples=100, **options),
        "win_matrix": lambda: win_matrix(table, False, **options),
        "elo": lambda: elo(table, False, n_bootstraps=3, **options),
        "improvability": lambda: improvability(table, False, **options),
        "bootstrap_ranks": lambda: bootstrap_ranks(table, False, n_bootstraps=3, **options),
    }


STATISTICS = list(of_all(None))


def table(**columns):
    frame = pd.DataFrame(columns)
    return frame.set_axis([f"d{row}" for row in range(len(frame))])


WHOLE = table(A=[0.1, 0.3, 0.2, 0.4], B=[0.2, 0.1, 0.3, 0.5], C=[0.5, 0.2, 0.4, 0.6])
HOLES = WHOLE.copy()
HOLES.loc["d1", "B"] = NAN


@pytest.mark.parametrize("statistic", STATISTICS)
@pytest.mark.parametrize(
    ("scores", "message"),
    [
        (HOLES, "no score of method 'B' on data set 'd1'; fill in the score, or set missing='block'"),
        (WHOLE.assign(B=NAN), "methods without any score: 'B'; drop these columns"),
        (WHOLE[["A"]], "scores has 1 columns; at least 2 methods are needed"),
        (WHOLE.set_axis(["A", "B", "A"], axis=1), "two methods have the name 'A'"),
        (WHOLE.set_axis(["x", "y", "y", "z"]), "two data sets have the name 'y'"),
        (WHOLE.replace(0.1, np.inf), "infinite score of method 'A' on data set 'd0'"),
        (
            WHOLE.astype(object).replace(0.5, "n/a"),
            "method 'B' has a score that is not a number: 'n/a' on data set 'd3'",
        ),
        (WHOLE.assign(B=list("abcd")), "method 'B' has a score that is not a number: 'a' on data set 'd0'"),
        (WHOLE.to_numpy(), "scores must be a DataFrame"),
    ],
    ids=lambda value: value[:30] if isinstance(value, str) else "",
)
def test_nonsense_gets_one_line(statistic, scores, message):
    with pytest.raises(RotastackError, match=message) as caught:
        of_all(scores)[statistic]()
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("statistic", STATISTICS)
def test_block_leaves_data_sets_out_and_fills_in_nothing(statistic):
    found = of_all(HOLES, missing="block")[statistic]()
    assert found.equals(of_all(WHOLE.drop(index="d1"))[statistic]())
    assert of_all(WHOLE, missing="block")[statistic]().equals(of_all(WHOLE)[statistic]())
    assert re.search(
        "missing must be one of raise, block.*, got 'mean'", refusal(of_all(WHOLE, missing="mean")[statistic])
    )


@pytest.mark.parametrize("statistic", STATISTICS)
def test_numbers_of_any_type(statistic):
    numbers = (100 * WHOLE).round()
    expected = of_all(numbers)[statistic]()
    for other in (numbers.astype(int), numbers.astype(object), numbers.astype("Int64"), numbers.astype("float32")):
        assert of_all(other)[statistic]().equals(expected)
    with_none = of_all(HOLES.astype(object).where(HOLES.notna(), None), missing="block")[statistic]()
    assert with_none.equals(of_all(HOLES, missing="block")[statistic]())


def test_a_comparison_says_what_it_left_out():
    comparison = compare(HOLES, False, missing="block")
    assert (comparison.left_out, list(comparison.scores.index)) == (("d1",), ["d0", "d2", "d3"])
    assert compare(WHOLE, False).left_out == ()


@pytest.mark.parametrize(
    ("function", "arguments", "message"),
    [
        (
            complete_block,
            [table(A=[0.1, NAN], B=[NAN, 0.2], C=[0.3, 0.4])],
            "no data set has scores of all methods; 'A' lacks the most scores, 1 of 2",
        ),
        (complete_block, [WHOLE.assign(A=NAN, C=NAN)], "methods without any score: 'A', 'C'"),
        (bootstrap_means, [HOLES], "not finite"),
        *((of_matrix, [[[0.1, NAN], [0.2, 0.3]]], "not finite") for of_matrix in (variance_components, kendall_w)),
        *((of_matrix, [[[0.1, 0.2]]], "at least 2 fold groups and") for of_matrix in (variance_components, kendall_w)),
        (variance_components, [[[0.1, 0.2], [0.3, 0.5]], 5], "alpha must lie between 0 and 1, got 5"),
        (bayesian_table, [WHOLE, "a", False], "control 'a' is not a method; did you mean 'A'"),
        (wilcoxon_holm, [WHOLE.rename(columns={"A": "Able"}), "Abel", False], "did you mean 'Able'"),
        (friedman, [WHOLE[:1], False], "Friedman's test needs at least 2 data sets, got 1"),
    ],
)
def test_what_cannot_be_is_refused(function, arguments, message):
    assert re.search(message, refusal(function, *arguments))


@pytest.mark.parametrize("statistic", [s for s in STATISTICS if s not in ("friedman", "compare")])
def test_an_empty_table(statistic):
    assert "scores has 0 data sets; at least 1 is needed" in refusal(of_all(WHOLE[:0])[statistic])


@pytest.mark.parametrize("n", [1, 2, 3])
def test_few_data_sets_and_two_methods_are_defined(n):
    for name, statistic in of_all(WHOLE.iloc[:n, :2]).items():
        if name != "friedman" or n > 1:
            found = pd.DataFrame(statistic()).drop(columns=["lower", "upper"], errors="ignore")
            assert np.isfinite(found).all(axis=None), name


def test_equal_methods_are_defined():
    scores = table(A=[0.1, 0.2, 0.3], B=[0.1, 0.2, 0.3], C=[0.1, 0.2, 0.3])
    assert (nemenyi(scores, False) == 1).all(axis=None)
    assert (wilcoxon_holm(scores, None, False)["p_holm"] == 1).all()
    assert (bootstrap_ranks(scores, False)["average_rank"] == 2).all()
    assert (win_matrix(scores, False) == 0.5).all(axis=None)
    assert (bayesian_table(scores, "A", False, rope=0.01)["equal"] == 1).all()


@pytest.mark.parametrize("times", [1, 1e5])
def test_rounding_errors_are_ties_everywhere(times):
    exact = table(A=[0.3, 0.7, 0.2, 0.6], B=[0.3, 0.7, 0.2, 0.6], C=[0.4, 0.8, 0.3, 0.7]) * times
    noisy = exact.assign(A=np.nextafter(exact["A"], [0, 1e9, 0, 1e9]))
    for (name, wanted), found in zip(of_all(exact).items(), of_all(noisy).values(), strict=True):
        np.testing.assert_array_equal(found(), wanted(), err_msg=name)
    assert compare(noisy, False).wins.loc["A", "B"] == 2
    # The differences of C are equal but for rounding, so they share their ranks.
    assert wilcoxon_holm(noisy, "C", False)["p"].tolist() == [0.125, 0.125]


def test_bayesian_table_is_pairs_of_tests():
    found = bayesian_table(WHOLE, "A", higher_is_better=False, rope=0.01, random_state=3)
    assert list(found.index) == ["B", "C"]
    for method in found.index:
        one = bayesian_signed_rank(WHOLE[method], WHOLE["A"], False, rope=0.01, random_state=8)
        assert found.loc[method].tolist() == pytest.approx([one.p_left, one.p_rope, one.p_right], abs=0.01)
    assert bayesian_table(-WHOLE, "A", higher_is_better=True, rope=0.01, random_state=3).equals(found)
    fewer = bayesian_table(WHOLE[["B", "A"]], "A", higher_is_better=False, rope=0.01, random_state=3)
    assert fewer.loc["B"].equals(found.loc["B"])
    assert len(bayesian_table(WHOLE, None, False, n_samples=10)) == 3


def test_pairs_are_tested_where_both_have_scores():
    scores = pd.DataFrame(
        {"A": [0.1, 0.2, 0.3, NAN], "B": [0.2, 0.3, NAN, 0.1], "C": [NAN, NAN, NAN, 0.1], "D": [0.1, 0.1, 0.2, NAN]}
    )
    found = wilcoxon_holm(scores, "A", False, missing="pairs")
    assert found[["wins", "ties", "losses"]].to_numpy().tolist() == [[0, 0, 2], [0, 0, 0], [2, 1, 0]]
    assert found["p"].isna().tolist() == [False, True, False]
    assert found["p_holm"].to_dict() == pytest.approx({"B": 1.0, "C": NAN, "D": 1.0}, nan_ok=True)
    assert found.loc["B", "p"] == wilcoxon_holm(scores[["A", "B"]].dropna(), "A", False).loc["B", "p"]
