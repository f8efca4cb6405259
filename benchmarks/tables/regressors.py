"""Tables of the study of SRBench's 21 regressors, from its file of numbers."""

from functools import partial

from tables.condensed import (
    AGAINST,
    against,
    hours_text,
    kept,
    kinds_table,
    numbers_of,
    place_among,
    places_of,
    scores_by_method,
    table_of,
    with_interval,
)

__all__ = ["TABLES", "numbers", "sentence"]

STUDY = "srbench2021"
OWN = ("Rotastack", "RotF", "RF", "Linear")
CHECKS = {"RF": "RandomForest, tuned", "Linear": "Linear"}

numbers = partial(numbers_of, STUDY)


def sentence() -> str:
    """Return the result in a sentence."""
    sizes, found = numbers("friedman", index="over")["data_sets"], {}
    for over in ("all", "others"):
        ranks = numbers("ranks", over)["rank"].sort_values()
        best = ranks.drop(list(OWN)).index[0]
        found[over] = ranks["Rotastack"], places_of(ranks)["Rotastack"], best, ranks[best]
    (rank, place, best, other), (its, its_place, its_best, its_other) = found.values()
    return (
        f"On {sizes['all']:.0f} data sets Rotastack has the average rank {rank:.1f} of {len(ranks)} regressors (place {place}), and the best of the published 21, {best}, {other:.1f}; "
        f"on the {sizes['others']:.0f} that are not Friedman's functions Rotastack has {its:.1f} (place {its_place}), and the best of the 21, {its_best}, {its_other:.1f}."
    )


def place() -> str:
    """Return the place of Rotastack, in a sentence of README.md."""
    ranks, sets = numbers("ranks", "all")["rank"].sort_values(), numbers("friedman", index="over")["data_sets"]["all"]
    return f"On {sets:.0f} data sets Rotastack {place_among(ranks, 'Rotastack')} regressors by average rank."


def against_each() -> str:
    """Return the numbers of data sets on which Rotastack is better and worse than the best others, in a sentence."""
    ranks, tests = numbers("ranks", "all")["rank"].sort_values(), numbers("tests", "all")
    shown = [m for m in ranks.index if m != "Rotastack" and m not in OWN][:5]
    counts = ", ".join(f"than {m} on {tests.losses[m]:.0f} and {tests.wins[m]:.0f}" for m in [*shown, "RotF", "RF"])
    return f"Rotastack is better and worse {counts}."


def ranking(over: str) -> str:
    """Return the ranks of all methods, and the tests of Rotastack against each."""
    ranks, tests = numbers("ranks", over).sort_values("rank"), numbers("tests", over)
    rows = [
        [
            place,
            f"**{name}**" if name in OWN else name,
            with_interval(ranks.loc[name]),
            f"{ranks.loc[name, 'median']:.3f}",
            *against(tests, name),
        ]
        for place, name in enumerate(ranks.index, 1)
    ]
    return table_of(["place", "method", "average rank", "median R²", *AGAINST], rows)


def hours() -> str:
    """Return the processor hours of training and predicting."""
    return hours_text(numbers("hours", "all")["hours"])


def kinds() -> str:
    """Return ranks by kinds of data sets: the best published method, and ours."""
    return kinds_table(STUDY, OWN, ("all", "others", "Friedman's"))


def agreement() -> str:
    """Return how far our random forest and our linear regression are from the published ones, in R²."""
    sets, rows = numbers("sets", "all", "dataset"), []
    for mine, theirs in CHECKS.items():
        apart = sets[f"apart_{mine}"].sort_values()
        far = apart[apart.abs() > 0.1]
        rows.append(
            [
                mine,
                theirs,
                f"{apart.median():+.4f}",
                *(f"{(apart.abs() <= d).sum()} of {len(apart)}" for d in (0.001, 0.01, 0.05)),
                ", ".join(f"{d} {v:+.2f}" for d, v in far.items()),
            ]
        )
    return table_of(["ours", "published", "median", "within .001", "within .01", "within .05", "farther than .1"], rows)


def hardest() -> str:
    """Return the ten data sets on which Rotastack is farthest from the best published method."""
    sets, ours = numbers("sets", "all", "dataset"), scores_by_method(STUDY)
    winners = kept(STUDY).query("table == 'best_of_set'").set_index("dataset")["method"]
    gap = (sets["best"] - ours["Rotastack"]).sort_values(ascending=False)[:10]
    rows = [
        [
            name,
            f"{sets.loc[name, 'rows']:.0f}",
            f"{winners[name]} {sets.loc[name, 'best']:.3f}",
            *(f"{v:.3f}" for v in ours.loc[name, list(OWN)]),
        ]
        for name in gap.index
    ]
    return table_of(["data set", "rows", "best published", *OWN], rows)


TABLES = {
    "against": against_each,
    "agreement": agreement,
    "all": partial(ranking, "all"),
    "friedman": partial(ranking, "Friedman's"),
    "hardest": hardest,
    "hours": hours,
    "kinds": kinds,
    "others": partial(ranking, "others"),
    "sentence": sentence,
}
