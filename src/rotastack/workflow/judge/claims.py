"""The results of a study's groups of methods and of its claims in sentences."""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from rotastack.stats.metrics import NAMES
from rotastack.workflow.judge import sentences as say
from rotastack.workflow.judge.words import capital, counted, p_equal

__all__ = ["claim_in_words", "verdict_of_claims", "verdict_of_groups"]

NAMED = 3
"""Most claims that have a sentence each."""


def verdict_of_groups(
    groups: Mapping[str, Mapping[str, Any]], score: str, alpha: float, titles: Mapping[str, str]
) -> list[str]:
    """Return the result in each group of methods, in words.

    Parameters
    ----------
    groups : mapping
        Group -> its comparison, as :func:`~rotastack.workflow.judge.comparisons.compare_group` gives it.
    score, alpha
        As for :func:`verdict_over_datasets`.
    titles : mapping
        Group -> its title.
    """
    return [_of_group(name, found, score, alpha, titles) for name, found in groups.items()]


def _of_group(name: str, found: Mapping[str, Any], score: str, alpha: float, titles: Mapping[str, str]) -> str:
    title = say.ALL_GROUPS if name == "all" else titles[name] or name
    if "average_ranks" not in found:
        return say.GROUP_WITHOUT_DATA.format(title=title)
    n = counted(found["n_rows"], "row" if name == "all" else "data set")
    ranks = pd.Series(found["average_ranks"]).sort_values(kind="stable")
    order = ", ".join(f"{m} ({r:.2f})" for m, r in ranks.items())
    text = say.ORDER.format(title=title, score="accuracy" if score == "error" else score, n=n, order=order)
    if "p_value" not in found:
        return text
    if found["p_value"] >= alpha:
        return text + say.NO_DIFFERENCE.format(p=found["p_value"], n=n)
    pairs = "; ".join(f"{a} and {b}" for a, b in found["different"]) or "none of the pairs"
    return text + say.DIFFERENCES.format(p=found["p_value"], pairs=pairs)


def claim_in_words(claim: Mapping[str, Any]) -> dict[str, Any]:
    """Return a claim as a sentence, with its result."""
    n, expect = claim["n_datasets"], claim["expect"]
    found = f"{claim['difference']:+.4f}"
    if n > 1:
        found += f" on average over {n} data sets"
        if expect != "equal":
            found += f", {expect} on {claim['in_favour'] * n:.0f}"
            found += f" and the same on {claim['ties'] * n:.0f}" if claim["ties"] > 0 else ""
    holds = ("no sign against it" if expect == "equal" else "yes") if claim["holds"] else "not shown"
    return {
        "text": say.CLAIM.format(
            quantity=NAMES.get(claim["what"], claim["what"].replace("_", " ")), of=claim["of"], than=claim["than"],
            expected="the same as" if expect == "equal" else f"{expect} than",
        ),
        "found": found,
        "p_holm": claim["p_holm"],
        "holds": "not tested" if pd.isna(claim["p_holm"]) else holds,
    }  # fmt: skip


def verdict_of_claims(claims: pd.DataFrame) -> list[str]:
    """Return the study's claims and their results in words; of many claims, how many hold."""
    if len(claims) > NAMED:
        return [say.MANY_CLAIMS.format(n=len(claims), hold=int(claims["holds"].sum()))]
    words = [claim_in_words(claim) for claim in claims.to_dict("records")]
    tested = ["" if pd.isna(w["p_holm"]) else f"; p {p_equal(w['p_holm'])}" for w in words]
    return [
        say.CLAIM_RESULT.format_map(w | {"text": capital(w["text"]), "p": p})
        for w, p in zip(words, tested, strict=True)
    ]
