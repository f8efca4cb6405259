"""What makes a comparison on a table doubtful."""

from functools import partial
from itertools import permutations
from time import process_time

import numpy as np
import pandas as pd
import pytest
from scipy.stats import f_oneway
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris, load_wine
from tests.own_tables import churn, genes, houses, sales, visits

from rotastack.base.preprocessing import TablePreprocessor
from rotastack.data.leaks import _nearness, leaks
from rotastack.data.suspicions import intraclass_correlation, suspicions


def doubts(table, target, task="classification", **divided_by):
    features = table.drop(columns=target)
    kinds = dict.fromkeys(divided_by.values(), "id") if "groups" in divided_by else None
    reader = TablePreprocessor(kinds).fit(features)
    y = table[target].astype(str) if task == "classification" else table[target].astype(float)
    return suspicions(features, y, task, reader.kinds_, divided_by)


LATE = np.random.default_rng(0).random(400) < 0.2
NOISE = pd.DataFrame(np.random.default_rng(1).standard_normal((400, 4)), columns=list("abcd"))
DAYS = pd.Series(pd.date_range("2022-01-01", periods=400, freq="h"))
KEYS = np.random.default_rng(1).permutation(400)
BY_CLASS, BY_NUMBER = "the target (balanced accuracy 1.000)", "the target (R² of values or ranks "


@pytest.mark.filterwarnings("ignore:columns left out", "ignore:.*'(notes|case)'")
@pytest.mark.parametrize(
    ("column", "target", "said", "advice"),
    [
        (NOISE.a.where(LATE), LATE, f"Whether new is missing predicts {BY_CLASS}", "drop the column."),
        (DAYS.where(LATE), LATE, f"Whether new is missing predicts {BY_CLASS}", "drop the column."),
        (
            pd.Series([f"note-{k * 7919}" for k in range(400)]).where(LATE),
            LATE,
            f"Whether new is missing predicts {BY_CLASS}",
            "leave the column out, as now.",
        ),
        (
            NOISE.a.where(LATE),
            np.where(LATE, "yes", np.resize(["no", "unknown"], 400)),
            "Whether new is missing predicts class 'yes' of the target (balanced accuracy 1.000)",
            "drop the column.",
        ),
        (
            NOISE.a.where(LATE),
            np.where(LATE, 50.0, 1.0) + 0.1 * NOISE.b,
            f"Whether new is missing predicts {BY_NUMBER}",
            "drop the column.",
        ),
        (np.where(LATE, NOISE.a, 0), LATE, "new alone predicts the target (", "drop the column."),
        (np.where(LATE, "paid", "open"), LATE, f"new alone predicts {BY_CLASS}", "drop the column."),
        (
            np.where(LATE, pd.Timestamp("2022-05-01"), pd.Timestamp("9999-12-31")),
            LATE,
            f"new alone predicts {BY_CLASS}",
            "drop the column.",
        ),
        (
            [f"{'D' if bad else 'C'}{key}" for bad, key in zip(LATE, KEYS, strict=True)],
            LATE,
            "new alone predicts the target (balanced accuracy 0.99",
            "leave the column out, as now.",
        ),
        (3 * NOISE.a, NOISE.a, f"new alone predicts {BY_NUMBER}", "drop the column."),
    ],
)
def test_a_column_that_gives_the_target_is_named(column, target, said, advice):
    task = "regression" if isinstance(target, pd.Series) else "classification"
    found = doubts(NOISE[list("bcd")].assign(new=column, y=target), "y", task)[0]
    assert found.startswith(said)
    assert found.endswith(advice)


def test_a_few_of_many_columns_are_named_and_chance_is_none():
    table = NOISE.assign(late=LATE)
    many = table.assign(**{f"fee {k}": NOISE.a.where(LATE) for k in range(7)})
    assert doubts(many, "late")[5] == "Columns that predict the target, beside these: 2."
    assert doubts(table.assign(fee=NOISE.a.where(KEYS < 80)), "late") == []
    ordered = table.sort_values("late", ignore_index=True).assign(day=pd.date_range("2022-01-01", periods=400))
    with pytest.warns(UserWarning, match="'id'"):
        (said,) = doubts(ordered.assign(id=range(400)), "late")
    assert said.startswith("The target varies with day"), "what rises from row to row tells the order alone"


@pytest.mark.parametrize("n", [60, 120, 500, 1500])
def test_a_scaled_copy_of_a_skewed_target_is_named(n):
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"a": rng.standard_normal(n), "price": np.exp(rng.normal(5, 1.2, n)).round(2)})
    copy = (0.92 * table["price"]).round(2)
    for given in (copy, copy.where(np.arange(n) % 10 > 0)):
        said = doubts(table.assign(copy=given), "price", "regression")[0]
        assert said.startswith("copy alone predicts the target (R² of values or ranks 1.000)")


@pytest.mark.slow
@pytest.mark.parametrize("n", [50, 2000])
def test_noise_and_series_that_are_smooth_in_time_are_no_leaks(n):
    rng = np.random.default_rng(n)
    noise = pd.DataFrame(rng.standard_normal((n, 60))).add_prefix("c")
    noise = noise.mask(rng.random(noise.shape) < rng.choice([0, 0.01, 0.2, 0.9], 60))
    noise = noise.assign(**{f"t{k}": rng.choice(list("abcdefghij"), n) for k in range(20)})
    rare = rng.permutation(np.arange(n) < max(6, n // 40))
    for target in (rng.choice(["u", "v"], n), np.where(rare, "u", "v"), rng.choice(list("uvwx"), n)):
        assert not [s for s in doubts(noise.assign(y=target), "y") if "predicts" in s]
    assert doubts(noise.assign(y=rng.lognormal(size=n)), "y", "regression") == []
    walk = noise.assign(day=pd.date_range("2022-01-01", periods=n), y=rng.standard_normal(n).cumsum())
    assert not [s for s in doubts(walk, "y", "regression") if "alone" in s]


def test_a_thousand_columns_take_a_second():
    rng = np.random.default_rng(0)
    y = rng.standard_normal(2000)
    table = pd.DataFrame(rng.standard_normal((2000, 1000)) + y[:, None]).add_prefix("c")
    started = process_time()
    assert list(leaks(table, pd.Series(y), "regression", dict.fromkeys(table, "numeric"))) == []
    assert process_time() - started < 2, "a second, on a machine of half the speed"


def bundled(load):
    return lambda: (load(as_frame=True).frame, "target")


@pytest.mark.filterwarnings("ignore:columns left out. 'id'")
@pytest.mark.parametrize(
    ("make", "task"),
    [
        *((bundled(load), "classification") for load in (load_iris, load_wine, load_breast_cancer)),
        *((make, "classification") for make in (churn, partial(genes, 60, 300))),
        *((make, "regression") for make in (houses, bundled(load_diabetes))),
    ],
)
def test_sound_tables_raise_no_doubts(make, task):
    table, target = make()
    table = table.drop(columns="place", errors="ignore")  # prices of a place are alike
    assert doubts(table, target, task) == []
    assert doubts(table.assign(id=range(len(table))), target, task) == [], "rows in the order of classes"


def test_groups_are_named_with_the_option():
    table, target = visits()
    assert "with --groups patient_id the rows of a group stay together" in doubts(table, target)[0]
    assert doubts(table, target, groups="patient_id") == []
    alike = doubts(table.rename(columns={"patient_id": "bed"}), target)[0]
    assert alike.startswith("bed looks like a group column (120 values, 5.6 rows each")


def test_a_number_that_goes_with_other_columns_is_no_group():
    rng = np.random.default_rng(0)
    size = rng.integers(0, 50, 200)
    others = size[:, None] / 15 + 0.3 * rng.normal(size=(200, 3))
    table = pd.DataFrame({"size": size, **dict(zip("abc", others.T, strict=True)), "y": rng.normal(size=200)})
    assert doubts(table, "y", "regression") == []
    assert doubts(table.assign(size=21 * size % 50), "y", "regression")[0].startswith("size looks like a group column")


@pytest.mark.parametrize("named", [lambda k: f"S{k:02d}", lambda k: 3 * k % 20])
def test_rows_whose_targets_are_alike_within_a_value_belong_together(named):
    rng = np.random.default_rng(1)
    school, age = np.repeat(np.arange(20), 30), rng.integers(10, 30, 600)
    table = pd.DataFrame({"school": [named(k) for k in school], "age": age, "iq": rng.standard_normal(600)})
    table["score"] = table["iq"] + rng.standard_normal(20)[school] + 0.3 * age
    (said,) = doubts(table, "score", "regression")
    assert said.startswith("Rows with the same school have alike targets (intraclass correlation 0.")
    assert "with --groups school test rows are from new values" in said
    assert doubts(table, "score", "regression", groups="school") == []
    assert doubts(table.assign(school=rng.permutation(table["school"])), "score", "regression") == []
    passed = table.assign(passed=table["score"] > table["score"].median()).drop(columns="score")
    assert doubts(passed, "passed")[0].startswith(said[:40])


@pytest.mark.parametrize("shop", ["Total", None])
def test_a_row_of_totals_makes_no_rows_alike(shop):
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.random((150, 3)), columns=["cost", "work", "price"])
    table.insert(0, "shop", [f"S{k}" for k in rng.integers(0, 15, 150)])
    table.loc[150] = [shop, *table.sum(numeric_only=True)]
    table["sold"] = [*rng.integers(1, 21, 150), 1513]
    assert doubts(table, "price", "regression") == []


def test_dates_that_order_the_target_are_named_with_the_option():
    table, target = sales()
    (said,) = doubts(table, target, "regression")
    assert said.startswith("The target varies with day (rank correlation 0.9")
    assert said.endswith("add --time-column day.")
    still = table.assign(sold=np.random.default_rng(0).permutation(table["sold"]))
    assert doubts(still, target, "regression")[0].startswith("day is a date")
    assert doubts(table, target, "regression", time="day") == []
    dice = [np.random.default_rng(k).integers(0, 5, 20).astype(str) for k in range(20)]
    told = [doubts(table[["day"]][:20].assign(**{target: classes}), target) for classes in dice]
    assert not any("varies with" in " ".join(of_rows) for of_rows in told), (
        "of few rows, chance has correlations above .3"
    )
    visit, outcome = visits()
    assert doubts(visit.assign(n=range(len(visit))), outcome, time="n") == [], "a group divides no rows in time"


def test_equal_rows_are_counted_where_chance_does_not_make_them():
    table, target = churn(1000)
    twice = pd.concat([table, table.head(100)], ignore_index=True)
    (said,) = doubts(twice, target)
    assert said.startswith("100 rows (9%) are copies of an earlier row")
    numbered = twice.assign(customer_id=np.arange(len(twice)) * 7 % 1101)
    assert doubts(numbered, target) == [said], "an id tells no copies apart, because no model reads it"
    rounded = pd.DataFrame({"x": np.random.default_rng(0).integers(0, 80, 4000) / 10, "label": ["u", "v"] * 2000})
    assert doubts(rounded, "label") == [], "80 values of one column repeat by chance"


@pytest.mark.slow
def test_errors_with_copies_together_and_apart_are_told():
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.standard_normal((300, 4)).round(3), columns=list("abcd"))
    table["label"] = rng.choice(["u", "v"], 300)  # nothing to learn but the copies
    (said,) = doubts(pd.concat([table, table], ignore_index=True), "label", copies_together="copies_together")
    assert said.startswith("300 rows (50%) are copies of an earlier row. They stay together, in training or in test: a")
    together, apart = (float(part.split("%")[0]) for part in said.split("error ")[1:2] + said.split("in both, ")[-1:])
    assert together > 40 > 25 > apart
    numbers = table.assign(label=rng.standard_normal(300))
    (said,) = doubts(pd.concat([numbers, numbers]), "label", "regression", copies_together="copies_together")
    assert " has RMSE 1" in said


def test_rising_numbers_and_classes_of_few_rows_are_named():
    table, target = churn(500)
    numbers = np.random.default_rng(0).permutation(500) + 5550000
    rare = ["once"] * 4 + table[target].tolist()[4:]
    for changed, said in (
        ({"case": np.arange(500) * 3 + 7}, "case increases from row to row"),
        ({"phone number": numbers}, "phone number is named like an id, and its values are unique"),
        ({target: rare}, "Classes with few rows: 'once' (4)"),
    ):
        assert doubts(table.assign(**changed), target)[0].startswith(said)
    assert doubts(table.assign(income=numbers), target) == doubts(table.assign(number=numbers // 2), target) == []


def test_nearness_is_0_by_chance_and_nearly_1_if_neighbours_are_equal():
    y = np.repeat([0, 1], [30, 10])
    ordered, mixed = np.arange(40.0), np.random.default_rng(0).permutation(40).astype(float)
    near, chance = _nearness(np.array([ordered, mixed]), y, "classification")
    # all neighbours are equal but for one pair, whose first row has the weight 1 / (2 · 30); the last row has no neighbour
    assert near == pytest.approx((1 - 1 / 60 - 1 / 20 - 1 / 2) / (1 - 1 / 2))
    assert abs(chance) < 0.3
    (of_three,) = _nearness(ordered[None], np.repeat([0, 1, 2], [20, 10, 10]), "classification")
    assert of_three == pytest.approx((1 - 1 / 60 - 1 / 30 - 1 / 30 - 1 / 3) / (1 - 1 / 3))
    assert _nearness(ordered[None], np.zeros(40, int), "classification") < 0, "one class tells nothing"
    numbers, _ = _nearness(np.array([ordered, mixed]), 2 * ordered, "regression")
    assert numbers == pytest.approx(1 - 39 / (2 * ((ordered - 19.5) ** 2).sum()))


def test_the_f_test_is_that_of_scipy():
    rng = np.random.default_rng(0)
    groups = rng.integers(0, 5, 40)
    target = rng.standard_normal(40) + 0.3 * groups
    correlation, p = intraclass_correlation(target, groups, permutations=0)
    expected = f_oneway(*(target[groups == k] for k in range(5)))
    assert p == pytest.approx(expected.pvalue)
    n0 = (40 - (np.bincount(groups) ** 2).sum() / 40) / 4
    assert correlation == pytest.approx((expected.statistic - 1) / (expected.statistic + n0 - 1))


def test_the_p_value_is_the_share_of_permutations_that_are_as_alike():
    target, groups = np.array([1.0, 2, 4, 3, 8, 9]), np.array([0, 0, 1, 1, 2, 2])

    def between(values):
        return sum(values[groups == k].sum() ** 2 for k in range(3))

    drawn = [between(target[list(order)]) for order in permutations(range(6))]
    exact = np.mean(np.array(drawn) >= between(target) - 1e-9)
    assert intraclass_correlation(target, groups)[1] == pytest.approx(exact, abs=0.02)
    indicators = np.equal.outer(target > 3.5, [False, True]).astype(float)
    assert intraclass_correlation(indicators, groups)[0] == pytest.approx(
        intraclass_correlation(indicators[:, 1], groups)[0]
    )
