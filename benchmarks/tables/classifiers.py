"""Tables of the study of 179 classifiers, from its file of numbers."""

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
from tables.papers import p_text

__all__ = ["TABLES", "numbers", "sentence"]

STUDY = "delgado2014"
OWN = ("Rotastack", "RotF", "S-RRE/RF", "DRMF", "RF", "RR-RF", "HGB")

numbers = partial(numbers_of, STUDY)


def sentence() -> str:
    """Return the result in a sentence."""
    ranks, sets = numbers("ranks", "ranked")["rank"].sort_values(), numbers("friedman", "ranked", "over").iloc[0]
    theirs, places = ranks.drop(list(OWN)), places_of(ranks)
    return (
        f"On {sets['data_sets']:.0f} data sets Rotastack has the average rank {ranks['Rotastack']:.1f} of {sets['methods']:.0f} methods (place {places['Rotastack']}), "
        f"our Rotation Forest {ranks['RotF']:.1f} (place {places['RotF']}), and the best of the published 179, {theirs.index[0]}, {theirs.iloc[0]:.1f}."
    )


def place() -> str:
    """Return the place of Rotastack, in a sentence of README.md."""
    ranks = numbers("ranks", "ranked")["rank"].sort_values()
    sets = numbers("friedman", "ranked", "over").iloc[0]["data_sets"]
    return f"On {sets:.0f} data sets Rotastack {place_among(ranks, 'Rotastack')} classifiers by average rank."


def hours() -> str:
    """Return the processor hours of training and predicting."""
    return hours_text(numbers("hours", "all")["hours"])


def friedman() -> str:
    """Return the test of all methods, and the critical difference among the best twenty."""
    found, best = numbers("friedman", "ranked", "over").iloc[0], numbers("best", "ranked")["rank"].sort_values()
    same = best[best - best.iloc[0] < found["critical_difference"]]
    return (
        f"All methods are not alike: Friedman's test as of Iman and Davenport has F({found['df_1']:.0f}, {found['df_2']:.0f}) = {found['F']:.1f}, p {p_text(found['p'])}. "
        f"Ranked among themselves, the best twenty differ by Nemenyi's test if their average ranks are {found['critical_difference']:.2f} apart; "
        f"not to be told from the first, {best.index[0]} ({best.iloc[0]:.2f}), are {', '.join(f'{m} ({r:.2f})' for m, r in same.iloc[1:].items())}."
    )


def best() -> str:
    """Return the best twenty and ours: ranks, accuracies, and tests of Rotastack against them."""
    ranks, tests = numbers("ranks", "ranked").sort_values("rank"), numbers("tests", "ranked")
    shown = ranks[[place <= 20 or name in OWN for place, name in enumerate(ranks.index, 1)]]
    places = places_of(ranks["rank"])
    rows = []
    for name, r in shown.iterrows():
        label = f"**{name}**" if name in OWN else name
        rows.append(
            [places[name], label, with_interval(r), f"{r.accuracy:.1f}", f"{r.share:.1f}", *against(tests, name)]
        )
    head = ["place", "method", "average rank", "mean accuracy, %", "share of the best, %", *AGAINST]
    return table_of(head, rows)


def with_and_without() -> str:
    """Return ranks without the data sets that are left out, and with them."""
    parts = {over: numbers("ranks", over)["rank"].sort_values() for over in ("ranked", "all")}
    places = {over: ranks.rank().astype(int) for over, ranks in parts.items()}
    shown = list(dict.fromkeys([*parts["ranked"].index[:10], *parts["all"].index[:10], *OWN]))
    rows = [[name, *(f"{parts[o][name]:.1f} ({places[o][name]})" for o in parts)] for name in shown]
    sizes = [numbers("friedman", over, "over")["data_sets"].iloc[0] for over in parts]
    return table_of(["method", *(f"{n:.0f} data sets: rank (place)" for n in sizes)], rows)


def kinds() -> str:
    """Return ranks by kinds of data sets: the best published method, and ours."""
    return kinds_table(STUDY, OWN, ("ranked", "all"))


def forests() -> str:
    """Return how far our random forest is from the published ones, in points of accuracy."""
    sets, ours = numbers("sets", "all", "dataset"), scores_by_method(STUDY)["RF"]
    apart = (ours - sets["rf_caret"]).rename("apart")
    rows = []
    for name, part in (("ranked", apart[sets["left_out"] == 0]), ("left out", apart[sets["left_out"] == 1])):
        far = part[part.abs() > 5].sort_values()
        rows.append(
            [
                name,
                len(part),
                f"{part.median():+.2f}",
                *(f"{(part.abs() <= d).mean():.0%}" for d in (1, 2, 5)),
                ", ".join(f"{d} {v:+.1f}" for d, v in far.items()),
            ]
        )
    return table_of(["data sets", "number", "median", "within 1 point", "within 2", "within 5", "farther"], rows)


def hardest() -> str:
    """Return the ten data sets on which Rotastack is farthest from the best published method."""
    sets, ours = numbers("sets", "all", "dataset"), scores_by_method(STUDY)
    winners = kept(STUDY).query("table == 'best_of_set'").set_index("dataset")["method"]
    gap = (sets["best"] - ours["Rotastack"])[sets["left_out"] == 0].sort_values(ascending=False)[:10]
    rows = [
        [
            name,
            f"{sets.loc[name, 'rows']:.0f}",
            f"{winners[name]} {sets.loc[name, 'best']:.1f}",
            *(f"{v:.1f}" for v in (sets.loc[name, "rf_caret"], *ours.loc[name, ["Rotastack", "RotF", "RF"]])),
        ]
        for name in gap.index
    ]
    return table_of(["data set", "rows", "best published", "rf_caret", "Rotastack", "RotF", "RF"], rows)


def few() -> str:
    """Return how often few data sets identify the best method of all data sets, and the strength of Rotastack on these."""
    named, power = numbers("subsets", None, ["over", "size"]), numbers("power", "ranked", "size")
    rows = [
        [
            f"{size:.0f}",
            *(f"{named.loc[(over, size), 'best']:.0%}" for over in ("all methods", "best twenty", "ours")),
            f"{named.loc[('all methods', size), 'winner']:.0f}",
            *(f"{power.loc[size, name]:.0%}" for name in ("alone", "of_all")),
        ]
        for size in power.index
    ]
    head = [
        "data sets",
        "name the best of 186",
        "of the best twenty",
        "of our seven",
        "place of the winner (median)",
        "p < .05, Rotastack against RF",
        "corrected for six",
    ]
    return table_of(head, rows)


TABLES = {
    "best": best,
    "few": few,
    "forests": forests,
    "friedman": friedman,
    "hardest": hardest,
    "hours": hours,
    "kinds": kinds,
    "sentence": sentence,
    "with-and-without": with_and_without,
}
