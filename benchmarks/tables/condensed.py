"""Numbers of the files that condensed studies on published rankings are kept in, and their tables."""

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from tables.papers import ROOT, lines_of, p_text

__all__ = [
    "AGAINST",
    "against",
    "hours_text",
    "kept",
    "kinds_table",
    "numbers_of",
    "place_among",
    "places_of",
    "scores_by_method",
    "table_of",
    "with_interval",
]

AGAINST = ["wins / ties / losses against Rotastack", "p (Holm)", "better / equal / worse than Rotastack"]
"""Heads of the columns of :func:`against`."""


def numbers_of(study: str, of: str, over: str | None = None, index: str | Sequence[str] = "method") -> pd.DataFrame:
    """Return the numbers of one kind of a study, a column for each name."""
    found = kept(study).query("table == @of")
    found = found if over is None else found[found["over"] == over]
    return found.pivot(index=index, columns="name", values="value")


def kept(study: str) -> pd.DataFrame:
    """Return all kept numbers of a study, a row for each."""
    return pd.read_parquet(Path(ROOT, f"docs/evidence/data/{study}.parquet"))


def scores_by_method(study: str) -> pd.DataFrame:
    """Return our scores in a study: a row for each data set, a column for each method."""
    return kept(study).query("table == 'scores'").pivot(index="dataset", columns="method", values="value")


def places_of(ranks: pd.Series) -> dict[str, int]:
    """Return the place of each method by its average rank."""
    return {name: place for place, name in enumerate(ranks.sort_values().index, 1)}


def place_among(ranks: pd.Series, name: str) -> str:
    """Return the place of a method by its average rank, such as ``ranks first of 186``."""
    place = places_of(ranks)[name]
    return f"ranks {'first' if place == 1 else f'number {place}'} of {len(ranks)}"


def with_interval(rank: pd.Series) -> str:
    """Return an average rank with its interval."""
    return f"{rank['rank']:.1f} ({rank.lower:.1f} to {rank.upper:.1f})"


def against(tests: pd.DataFrame, name: str) -> list[str]:
    """Return the cells of a method's tests against the control; they are empty if it is not tested."""
    if name not in tests.index:
        return ["", "", ""]
    t = tests.loc[name]
    counts = f"{t.wins:.0f} / {t.ties:.0f} / {t.losses:.0f}"
    return [counts, p_text(t.p_holm), f"{t.better:.2f} / {t.equal:.2f} / {t.worse:.2f}"]


def kinds_table(study: str, own: Sequence[str], without: Sequence[str]) -> str:
    """Return ranks by kinds of data sets: the best published method, and ours; some are shown elsewhere."""
    rows, sizes = [], numbers_of(study, "friedman", index="over")["data_sets"]
    for over in kept(study).query("table == 'friedman'")["over"].unique():
        if over in without:
            continue
        ranks = numbers_of(study, "ranks", over)["rank"].sort_values()
        theirs = ranks.drop(list(own))
        best = f"{theirs.index[0]} {theirs.iloc[0]:.1f}"
        rows.append([over, f"{sizes[over]:.0f}", best, *(f"{ranks[m]:.1f}" for m in own)])
    return table_of(["data sets", "number", "best published", *own], rows)


def hours_text(hours: pd.Series) -> str:
    """Return the processor hours of training and predicting."""
    found = hours.sort_values(ascending=False)
    return f"Training and predicting took {found.sum():.1f} hours of one processor: {', '.join(f'{name} {60 * h:.0f} minutes' for name, h in found.items())}."


def table_of(head: list[str], rows: list[list]) -> str:
    """Return a Markdown table."""
    return lines_of([head, ["---"] * len(head), *(list(map(str, row)) for row in rows)])
