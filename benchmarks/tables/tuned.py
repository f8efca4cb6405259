"""Tables of the study of tuned classifiers on small tables, from its file of numbers."""

from functools import partial

from tables.condensed import (
    AGAINST,
    against,
    kept,
    numbers_of,
    place_among,
    places_of,
    scores_by_method,
    table_of,
    with_interval,
)

__all__ = ["TABLES", "numbers", "sentence"]

STUDY = "smalldata"
OURS = "Rotastack"
OWN = (OURS, "RotF", "RF")
PRETRAINED = ("tabpfn3", "tabicl", "tabfm", "tabpfn")

numbers = partial(numbers_of, STUDY)


def _counts(name: str, over: str) -> str:
    """Return on how many data sets Rotastack is better and worse than a method."""
    t = numbers("tests", over).loc[name]
    return f"{t.losses:.0f} and {t.wins:.0f}"


def sentence() -> str:
    """Return the result in a sentence."""
    sizes, parts = numbers("friedman", index="over")["data_sets"], []
    for over, of in (("all", ""), ("new", " that are in no other of our collections")):
        ranks = numbers("ranks", over)["rank"].sort_values()
        best = ranks.drop(OURS).index[0]
        parts.append(
            f"on {sizes[over]:.0f} data sets{of} Rotastack has the average rank {ranks[OURS]:.2f} of {len(ranks)} classifiers (place {places_of(ranks)[OURS]}), "
            f"and the best tuned one, {best}, {ranks[best]:.2f}: Rotastack is better and worse on {_counts(best, over)}"
        )
    text = "; ".join(parts)
    return f"{text[0].upper()}{text[1:]}."


def place() -> str:
    """Return the place of Rotastack, in a sentence of README.md."""
    ranks, sets = numbers("ranks", "all")["rank"], numbers("friedman", index="over")["data_sets"]["all"]
    return f"On {sets:.0f} small data sets untuned Rotastack {place_among(ranks, OURS)} classifiers by average rank."


def ranking(over: str) -> str:
    """Return ranks, scores, hours, and the tests of Rotastack against each method."""
    ranks, means = numbers("ranks", over), numbers("means", over)["score"]
    tests, hours = numbers("tests", over), numbers("hours", "all")["hours"]
    order = [*ranks.sort_values("rank").index, *OWN[1:], *PRETRAINED]
    rows = [
        [
            f"**{name}**" if name in OWN else name,
            with_interval(ranks.loc[name]) if name in ranks.index else "",
            f"{means[name]:.3f}",
            *against(tests, name),
            f"{tests.loc[name, 'data_sets']:.0f}" if name in tests.index else "",
            *([f"{hours[name]:.2f}"] if over == "all" else []),
        ]
        for name in order
    ]
    head = ["method", "average rank", "mean score", *AGAINST, "compared on"]
    return table_of([*head, *(["hours"] if over == "all" else [])], rows)


def pretrained() -> str:
    """Return how far the pretrained networks are ahead or behind, in a sentence."""
    tests, found = numbers("tests", "all"), {True: [], False: []}
    for name in PRETRAINED:
        t = tests.loc[name]
        found[t.apart > 0].append(
            f"{name} (better on {t.wins:.0f} and worse on {t.losses:.0f} of {t.data_sets:.0f} tables, {t.apart:+.3f} on average)"
        )
    behind = f"; not ahead is {', '.join(found[False])}" if found[False] else ""
    return (
        f"Networks that were trained on other tables before are ahead of Rotastack: {', '.join(found[True])}{behind}."
    )


def kinds() -> str:
    """Return ranks by kinds of data sets: Rotastack and the best tuned method."""
    sizes, rows = numbers("friedman", index="over")["data_sets"], []
    for over in kept(STUDY).query("table == 'friedman'")["over"].unique():
        ranks = numbers("ranks", over)["rank"].sort_values()
        best = ranks.drop(OURS).index[0]
        rows.append(
            [
                over,
                f"{sizes[over]:.0f}",
                f"{ranks[OURS]:.2f}",
                f"{best} {ranks[best]:.2f}",
                *_counts(best, over).split(" and "),
            ]
        )
    return table_of(["data sets", "number", OURS, "best tuned", f"{OURS} better", "worse"], rows)


def agreement() -> str:
    """Return how far our random forest is from the published one."""
    apart = numbers("sets", "all", "dataset")["apart_RF"].sort_values()
    means = numbers("means", "all")["score"]
    within = ", ".join(f"within {limit} on {(apart.abs() <= limit).sum()}" for limit in (0.005, 0.01, 0.02, 0.05))
    far = ", ".join(f"{name} {value:+.3f}" for name, value in apart[apart.abs() > 0.05].items())
    return (
        f"Ours less the published one: median {apart.median():+.4f}, means {means['RF']:.3f} and {means['random_forest']:.3f}, "
        f"{within} of {len(apart)} data sets; farther than .05: {far or 'none'}."
    )


def losses() -> str:
    """Return the twenty data sets on which Rotastack is farthest below the best tuned method."""
    sets, ours = numbers("sets", "all", "dataset"), scores_by_method(STUDY)
    winners = kept(STUDY).query("table == 'best_of_set'").set_index("dataset")["method"]
    gap = (sets["best"] - ours[OURS]).sort_values(ascending=False)[:20]
    rows = [
        [
            name,
            f"{sets.loc[name, 'rows']:.0f}",
            f"{sets.loc[name, 'classes']:.0f}",
            f"{winners[name]} {sets.loc[name, 'best']:.3f}",
            *(f"{v:.3f}" for v in ours.loc[name, list(OWN)]),
        ]
        for name in gap.index
    ]
    return table_of(["data set", "rows", "classes", "best tuned", *OWN], rows)


TABLES = {
    "agreement": agreement,
    "all": partial(ranking, "all"),
    "kinds": kinds,
    "losses": losses,
    "new": partial(ranking, "new"),
    "pretrained": pretrained,
    "sentence": sentence,
}
