"""Which method to choose: tables of ranks and a decision tree, from results that are kept in the repository."""

from dataclasses import dataclass
from functools import cache

import pandas as pd

from tables import flagship, rules, tree_picture

__all__ = ["QUESTIONS", "TABLES"]

QUICK = 0.25
"""In times of the random forest's time to fit: what counts as quick."""

NAMES = {"Rotastack": "rotastack.RotastackClassifier", "RotF": "rotastack.RotationForestClassifier"}
TITLES = {
    "RotF": "Rotation Forest",
    "RF": "random forest",
    "ET": "extra trees",
    "HGB": "HistGradientBoosting",
    "XGB": "XGBoost",
}
COSTS = (
    "average rank, error",
    "average rank, log loss",
    "mean error",
    "mean log loss",
    "time to fit, RF's being 1, median",
    "time to predict, RF's being 1, median",
)
"""Rows of the table of all sets that a reader who chooses needs; its page has the others."""

KINDS = {
    "all data sets": lambda f: f["rows"] > 0,
    "no categories": lambda f: f["share of columns that are categories"] == 0,
    "some or all columns are categories": lambda f: f["share of columns that are categories"] > 0,
    "at most 500 rows": lambda f: f["rows"] <= 500,
    "more than 500 rows": lambda f: f["rows"] > 500,
    "at most 10 columns": lambda f: f["columns"] <= 10,
    "11 to 30 columns": lambda f: f["columns"].between(11, 30),
    "more than 30 columns": lambda f: f["columns"] > 30,
    "two classes": lambda f: f["classes"] == 2,
    "three classes and more": lambda f: f["classes"] > 2,
}


@dataclass(frozen=True)
class Question:
    """A wish of a reader, the methods that fulfil the wish, and their scores."""

    wish: str
    methods: tuple[str, ...]
    measure: str = "error"

    @property
    def scores(self) -> pd.DataFrame:
        """Errors, or log losses, of the methods on data sets with all methods."""
        return flagship.set_by_set(self.measure).dropna()[list(self.methods)]


def _questions():
    times = flagship.times_to_fit()
    return (
        Question("The least error; time does not matter", tuple(times.index)),
        Question("The best probabilities; time does not matter", tuple(times.index), measure="log loss"),
        Question(
            "A fit in a quarter of the time of a random forest of 500 trees, or less",
            tuple(times.index[times <= QUICK]),
        ),
        Question("A forest of one kind of trees, rotated or not", ("RF", "ET", "RotF")),
    )


QUESTIONS = _questions()


def by_kind() -> str:
    """Return average ranks of errors by kind of data set."""
    errors = flagship.set_by_set().dropna()
    facts = flagship.facts().loc[errors.index]
    ranks = errors.rank(axis=1)
    lines = [f"| kind of data set | sets | {' | '.join(map(title, errors))} |", "|---" * (errors.shape[1] + 2) + "|"]
    for kind, belongs in KINDS.items():
        mean = ranks[belongs(facts)].mean()
        cells = [f"**{v:.2f}**" if v == mean.min() else f"{v:.2f}" for v in mean]
        lines.append(f"| {kind} | {int(belongs(facts).sum())} | {' | '.join(cells)} |")
    return "\n".join(lines)


def measured() -> str:
    """Return the numbers for a choice from the table of all data sets: ranks, scores, times."""
    header, rule, *rows = flagship.summary_lines()
    first, *methods = (cell.strip() for cell in header.strip("|").split("|"))
    found = {row.split("|")[1].strip(): row for row in rows}
    kept = [found[name].replace("RF's being 1", "a random forest's being 1") for name in COSTS]
    return "\n".join([f"| {first} | {' | '.join(map(title, methods))} |", rule, *kept])


@dataclass(frozen=True)
class Rule:
    """The tree that answers a question, with the depth that is best on held-out data sets."""

    question: Question
    node: rules.Node
    ranks: dict[int, float]  # depth -> mean rank of what is chosen for data sets left out

    @property
    def depth(self) -> int:
        """The depth of the lowest rank; of equal ranks the smallest depth."""
        return min(self.ranks, key=lambda depth: (round(self.ranks[depth], 9), depth))


@cache
def found() -> tuple[Rule, ...]:
    """Return a rule for each question."""
    answers = []
    for question in QUESTIONS:
        ranks = question.scores.rank(axis=1)
        facts = flagship.facts().loc[ranks.index]
        by_depth = {depth: rules.left_out_rank(ranks, facts, depth) for depth in (0, 1, 2)}
        rule = Rule(question, rules.Node(ranks.mean(), len(ranks)), by_depth)
        answers.append(Rule(question, rules.grow(ranks, facts, rule.depth), by_depth))
    return tuple(answers)


def title(method: str) -> str:
    """Return the readable name of a method's label."""
    return TITLES.get(method, method)


def tree() -> str:
    """Return the decision tree as a drawing and as a table."""
    answers = found()
    branches = [(rule.question.wish, rule.node) for rule in answers]
    lines = ["```{raw} html", tree_picture.drawn("What do you want?", branches, title), "```", ""]
    lines += ["| you want | your table has | take | average rank | next best |", "|---|---|---|---|---|"]
    for rule in answers:
        for conditions, leaf in _leaves(rule.node):
            (best, rank), (second, its_rank) = list(leaf.ranks.items())[:2]
            name = f"{{py:class}}`~{NAMES[best]}`" if best in NAMES else title(best)
            lines.append(
                f"| {rule.question.wish} | {', '.join(conditions) or 'anything'} | {name} "
                f"| {rank:.2f} of {len(leaf.ranks)} methods, on {leaf.n_sets} data sets | {title(second)}, {its_rank:.2f} |"
            )
    return "\n".join(lines)


def worth() -> str:
    """Return the average ranks of the methods that trees of each depth choose for held-out data sets."""
    lines = ["| you want | among | one method for all | by one question | by two questions |", "|---|---|---|---|---|"]
    for rule in found():
        cells = [f"**{v:.2f}**" if depth == rule.depth else f"{v:.2f}" for depth, v in rule.ranks.items()]
        methods = ", ".join(map(title, rule.question.methods))
        lines.append(f"| {rule.question.wish} | {methods} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _leaves(node, conditions=()):
    if node.fact is None:
        return [(conditions, node)]
    low, high = tree_picture.answers(node)
    return [*_leaves(node.below, (*conditions, low)), *_leaves(node.beyond, (*conditions, high))]


TABLES = {"kinds": by_kind, "times": measured, "tree": tree, "worth": worth}
