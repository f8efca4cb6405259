"""Small random pools as (votes, y): numpy generators and the hypothesis strategy pools()."""

from __future__ import annotations

import numpy as np

KINDS = ("random", "good", "bad", "right", "wrong", "constant", "duplicate", "mirror")


def make_votes(rng, y, kinds, n_classes, silent=0.0):
    """Votes of one member per kind; `silent` is the probability of -1 in a cell."""
    n, columns = len(y), []
    for kind in kinds:
        wrong = (y + rng.integers(1, n_classes, n)) % n_classes
        if kind == "right":
            column = y.copy()
        elif kind == "wrong":
            column = wrong
        elif kind == "constant":
            column = np.full(n, rng.integers(n_classes))
        elif kind == "duplicate" and columns:
            column = columns[rng.integers(len(columns))].copy()
        elif kind == "mirror" and columns:  # right exactly where an earlier member is wrong
            other = columns[rng.integers(len(columns))]
            column = np.where(other == y, wrong, y)
        else:
            low, high = {"good": (0.6, 0.95), "bad": (0.1, 0.5)}.get(kind, (0.3, 0.9))
            column = np.where(rng.random(n) < rng.uniform(low, high), y, wrong)
        columns.append(column)
    votes = np.stack(columns, axis=1)
    votes[rng.random(votes.shape) < silent] = -1
    return votes


def give_say(rng, votes, y, n_classes):
    """The votes with a cell filled in every row and every column that had none."""
    votes = votes.copy()
    for i in np.flatnonzero((votes == -1).all(axis=1)):
        votes[i, rng.integers(votes.shape[1])] = rng.integers(n_classes)
    for j in np.flatnonzero((votes == -1).all(axis=0)):
        votes[rng.integers(votes.shape[0]), j] = rng.integers(n_classes)
    return votes


def random_pool(seed, n=30, T=8, n_classes=2, kinds=KINDS, silent=0.0, heard=True):
    """One pool; heard=True gives every row and every member at least one say."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, n_classes, n)
    votes = make_votes(rng, y, rng.choice(kinds, T), n_classes, silent)
    return (give_say(rng, votes, y, n_classes) if heard else votes), y


def with_right(seed, **settings):
    """A pool whose last member is always right."""
    votes, y = random_pool(seed, **settings)
    votes[:, -1] = y
    return votes, y


def with_wrong(seed, n_classes=2, **settings):
    """A pool whose last member is always wrong."""
    votes, y = random_pool(seed, n_classes=n_classes, **settings)
    votes[:, -1] = (y + 1) % n_classes
    return votes, y


def with_duplicates(seed, **settings):
    """A pool with every member twice (in shuffled places)."""
    votes, y = random_pool(seed, **settings)
    doubled = np.concatenate([votes, votes], axis=1)
    return doubled[:, np.random.default_rng(seed).permutation(doubled.shape[1])], y


def identical(seed, n=20, T=5, n_classes=2):
    """A pool of T equal members."""
    votes, y = random_pool(seed, n=n, T=1, n_classes=n_classes, kinds=("random",))
    return np.repeat(votes, T, axis=1), y


def constants(seed, n=20, T=4, n_classes=2):
    """A pool of constant members only."""
    return random_pool(seed, n=n, T=T, n_classes=n_classes, kinds=("constant",))


def named_pools(seed=0):
    """{name: (votes, y)}: one pool of every awkward sort."""
    voters = ("random", "good", "bad")
    return {
        "plain": random_pool(seed, kinds=voters),
        "good": random_pool(seed, n=60, T=12, kinds=("good",)),
        "always_right": with_right(seed, kinds=voters),
        "always_wrong": with_wrong(seed, kinds=voters),
        "all_right": random_pool(seed, T=4, kinds=("right",)),
        "all_wrong": random_pool(seed, T=4, kinds=("wrong",)),
        "right_and_wrong": random_pool(seed, T=6, kinds=("right", "wrong")),
        "duplicates": with_duplicates(seed, T=4, kinds=voters),
        "identical": identical(seed),
        "constants": constants(seed),
        "constants_multiclass": constants(seed, n_classes=4),
        "mirrors": random_pool(seed, T=8, kinds=("random", "mirror")),
        "one_member": random_pool(seed, T=1, kinds=voters),
        "one_member_right": random_pool(seed, T=1, kinds=("right",)),
        "one_member_wrong": random_pool(seed, T=1, kinds=("wrong",)),
        "one_row": random_pool(seed, n=1, T=5),
        "two_rows": random_pool(seed, n=2, T=5),
        "fewer_rows_than_members": random_pool(seed, n=6, T=15, kinds=voters),
        "multiclass": random_pool(seed, n=40, T=8, n_classes=4),
        "oob": random_pool(seed, n=40, T=8, silent=0.6),
        "oob_multiclass": random_pool(seed, n=40, T=8, n_classes=3, silent=0.6),
        "oob_sparse": random_pool(seed, n=15, T=6, silent=0.8),
        "oob_silent_rows": random_pool(seed, n=15, T=4, silent=0.8, heard=False),
        "mixed": random_pool(seed, n=25, T=10, n_classes=3),
    }


def pools(max_rows=12, max_members=7, max_classes=4, silent=True, heard=True, unequal=False):
    """Strategy of (votes, y), or (votes, y, weights) with unequal=True; shrinks to few of everything.

    silent=False draws no -1; heard=True leaves every row and every member at least one say.
    """
    from hypothesis import strategies as st

    @st.composite
    def draw_pool(draw):
        n = draw(st.integers(1, max_rows))
        n_classes = draw(st.integers(2, max_classes))
        y = np.array(draw(st.lists(st.integers(0, n_classes - 1), min_size=n, max_size=n)))
        kinds = ("free", "right", "wrong", "constant", "duplicate", "mirror")
        columns = []
        for kind in draw(st.lists(st.sampled_from(kinds), min_size=1, max_size=max_members)):
            if kind == "right":
                column = y.copy()
            elif kind == "wrong":
                column = (y + draw(st.integers(1, n_classes - 1))) % n_classes
            elif kind == "constant":
                column = np.full(n, draw(st.integers(0, n_classes - 1)))
            elif kind in ("duplicate", "mirror") and columns:
                other = columns[draw(st.integers(0, len(columns) - 1))]
                column = other.copy() if kind == "duplicate" else np.where(other == y, (y + 1) % n_classes, y)
            else:
                column = np.array(draw(st.lists(st.integers(0, n_classes - 1), min_size=n, max_size=n)))
            columns.append(column)
        votes = np.stack(columns, axis=1)
        if silent and draw(st.booleans()):
            cells = st.lists(st.booleans(), min_size=votes.size, max_size=votes.size)
            votes[np.array(draw(cells)).reshape(votes.shape)] = -1
            if heard:  # the right label or class 0 in the first place: no draw, so it shrinks
                votes[(votes == -1).all(axis=1), 0] = 0
                silent_members = (votes == -1).all(axis=0)
                votes[0, silent_members] = y[0]
        if not unequal:
            return votes, y
        raw = draw(st.lists(st.integers(1, 20), min_size=votes.shape[1], max_size=votes.shape[1]))
        return votes, y, np.array(raw) / sum(raw)

    return draw_pool()
