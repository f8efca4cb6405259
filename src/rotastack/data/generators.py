"""Generated data sets: simulated problems of Breiman and Friedman, and UCI data sets that follow from a rule."""

from collections.abc import Callable
from itertools import product

import numpy as np
import pandas as pd

from rotastack.errors import RotastackError, nearest

_WAVES = np.stack(
    [np.maximum(6 - np.abs(np.arange(1, 22) - centre), 0) for centre in (7, 15, 11)]
)  # h1, h2, h3 of Breiman et al. (1984), p. 49-55; peaks of height 6 at 7, 15 and 11

_SEGMENTS = [  # the seven lights of the digits 0-9: top, upper left and right, middle, lower left and right, bottom
    "1110111", "0010010", "1011101", "1011011", "0111010",
    "1101011", "1101111", "1010010", "1111111", "1111011",
]  # fmt: skip


def waveform(rows: int, seed: int, noise_columns: int = 0) -> pd.DataFrame:
    """Return Breiman's waveform recognition: 21 noisy points on a mix of two of three waves.

    Class 0 mixes h1 and h2, class 1 h1 and h3, class 2 h2 and h3, with shares u and 1 - u for a uniform u.
    Each point has standard normal noise. `noise_columns` further columns are pure noise.
    """
    rng = np.random.default_rng(seed)
    label = rng.integers(0, 3, rows)
    u = rng.random((rows, 1))
    first, second = np.array([0, 0, 1])[label], np.array([1, 2, 2])[label]
    X = u * _WAVES[first] + (1 - u) * _WAVES[second] + rng.standard_normal((rows, 21))
    X = np.hstack([X, rng.standard_normal((rows, noise_columns))])
    return _frame(np.round(X, 2), label)


def twonorm(rows: int, seed: int) -> pd.DataFrame:
    """Return Breiman's twonorm: two unit normals in 20 dimensions, centred at +-(2/sqrt 20, ...)."""
    rng = np.random.default_rng(seed)
    label = rng.integers(0, 2, rows)
    centre = 2 / np.sqrt(20)
    X = rng.standard_normal((rows, 20)) + np.where(label == 0, centre, -centre)[:, None]
    return _frame(X, label)


def ringnorm(rows: int, seed: int) -> pd.DataFrame:
    """Return Breiman's ringnorm: N(0, 4 I) against N((1/sqrt 20, ...), I) in 20 dimensions."""
    rng = np.random.default_rng(seed)
    label = rng.integers(0, 2, rows)
    noise = rng.standard_normal((rows, 20))
    X = np.where(label[:, None] == 0, 2 * noise, noise + 1 / np.sqrt(20))
    return _frame(X, label)


def led24(rows: int, seed: int, noise: float = 0.1) -> pd.DataFrame:
    """Return LED display: 7 lights of a random digit, each inverted with probability `noise`, and 17 random bits."""
    rng = np.random.default_rng(seed)
    digit = rng.integers(0, 10, rows)
    lights = np.array([[int(c) for c in word] for word in _SEGMENTS])[digit]
    lights = np.where(rng.random(lights.shape) < noise, 1 - lights, lights)
    return _frame(np.hstack([lights, rng.integers(0, 2, (rows, 17))]), digit)


def noisy_square(rows: int, seed: int, noise: float = 0.1) -> pd.DataFrame:
    """Return points of the unit square cut by the line x1 + x2 = 1; a share `noise` of the labels is flipped."""
    rng = np.random.default_rng(seed)
    X = rng.random((rows, 2))
    label = (X.sum(axis=1) > 1).astype(int)
    flipped = rng.permutation(rows)[: round(noise * rows)]
    label[flipped] = 1 - label[flipped]
    return _frame(X, label)


def friedman(problem: int, rows: int, seed: int, noise: float, noise_columns: int = 0) -> pd.DataFrame:
    """Return one of Friedman's three regressions (Friedman, 1991; Breiman, 1996).

    The target has normal noise with standard deviation `noise`. `noise_columns` further columns are uniform on [0, 1].
    Problem 1 has ten columns, uniform on [0, 1]; five matter: 10 sin(pi x1 x2) + 20 (x3 - 0.5)^2 + 10 x4 + 5 x5.
    Problems 2 and 3 are the impedance sqrt(x1^2 + a^2) and the phase shift arctan(a / x1) of a circuit, with
    a = x2 x3 - 1 / (x2 x4). The columns are resistance, frequency, inductance and capacitance.
    """
    if problem not in (1, 2, 3):
        raise RotastackError(f"generator 'friedman': problem must be 1, 2 or 3, got {problem!r}")
    rng = np.random.default_rng(seed)
    X = rng.random((rows, 10 if problem == 1 else 4))
    if problem == 1:
        waves = 10 * np.sin(np.pi * X[:, 0] * X[:, 1])
        y = waves + 20 * (X[:, 2] - 0.5) ** 2 + 10 * X[:, 3] + 5 * X[:, 4]
    else:
        X = X * [100, 520 * np.pi, 1, 10] + [0, 40 * np.pi, 0, 1]
        reactance = X[:, 1] * X[:, 2] - 1 / (X[:, 1] * X[:, 3])
        y = np.hypot(X[:, 0], reactance) if problem == 2 else np.arctan2(reactance, X[:, 0])
    y = y + noise * rng.standard_normal(rows)
    table = pd.DataFrame(np.hstack([X, rng.random((rows, noise_columns))]))
    return table.set_axis([f"x{j + 1}" for j in table.columns], axis=1).round(6).assign(target=y.round(6))


def balance_scale() -> pd.DataFrame:
    """Return UCI Balance Scale: all weights and distances from 1 to 5; the class is left, right or balanced."""
    X = np.array(list(product(range(1, 6), repeat=4)))
    tilt = np.sign(X[:, 0] * X[:, 1] - X[:, 2] * X[:, 3])
    names = ["left-weight", "left-distance", "right-weight", "right-distance"]
    return _frame(X, np.array(["R", "B", "L"])[tilt + 1], names)


def tic_tac_toe() -> pd.DataFrame:
    """Return UCI Tic-Tac-Toe Endgame: all boards at the end of a game that x began; positive if x has won.

    A game ends when a player has three in a line or the board is full. As in the UCI file, the boards that x has won
    come first, then the boards that o has won, then the draws. Within these, boards are sorted square by square: x
    before o before b (blank).
    """
    lines = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]
    boards: dict[str, list[tuple[str, ...]]] = {"won": [], "lost": [], "drawn": []}
    for board in product("xob", repeat=9):
        x, o = board.count("x"), board.count("o")
        winners = {board[i] for i, j, k in lines if board[i] == board[j] == board[k] != "b"}
        if winners == {"x"} and x == o + 1:
            boards["won"].append(board)
        elif winners == {"o"} and x == o:
            boards["lost"].append(board)
        elif not winners and x == 5 and o == 4:
            boards["drawn"].append(board)
    label = ["positive" if end == "won" else "negative" for end, found in boards.items() for _ in found]
    names = [f"{row}-{col}" for row in ("top", "middle", "bottom") for col in ("left", "middle", "right")]
    return _frame(np.concatenate(list(boards.values())), label, names)


def three_of_nine() -> pd.DataFrame:
    """Return 3-of-9: all 512 rows of nine bits; the class is true if three neighbouring bits are 1.

    The rule was derived from the published copy, and reproduces all of its 512 rows.
    """
    X = np.array(list(product([0, 1], repeat=9)))
    run = X[:, :-2] & X[:, 1:-1] & X[:, 2:]
    return _frame(X, run.any(axis=1), [f"F{i}" for i in range(1, 10)])


def monks(problem: int) -> pd.DataFrame:
    """Return a MONK's problem (Thrun et al., 1991): all 432 robots, labelled by the rule without noise.

    Problem 1: a1 = a2 or a5 = 1. Problem 2: exactly two attributes have their first value.
    Problem 3: (a5 = 3 and a4 = 1) or (a5 != 4 and a2 != 3).
    """
    X = np.array(list(product([1, 2, 3], [1, 2, 3], [1, 2], [1, 2, 3], [1, 2, 3, 4], [1, 2])))
    a1, a2, _, a4, a5, _ = X.T
    rules = {
        1: (a1 == a2) | (a5 == 1),
        2: (X == 1).sum(axis=1) == 2,
        3: ((a5 == 3) & (a4 == 1)) | ((a5 != 4) & (a2 != 3)),
    }
    if problem not in rules:
        raise RotastackError(f"generator 'monks': problem must be 1, 2 or 3, got {problem!r}")
    return _frame(X, rules[problem].astype(int), [f"a{i}" for i in range(1, 7)])


def _frame(X, label, names=None) -> pd.DataFrame:
    table = pd.DataFrame(X, columns=names or [f"x{j + 1}" for j in range(X.shape[1])])
    table["target"] = pd.Series(np.asarray(label)).astype(str)
    return table


GENERATORS: dict[str, Callable[..., pd.DataFrame]] = {
    make.__name__: make
    for make in (
        balance_scale, friedman, led24, monks, noisy_square, ringnorm, three_of_nine, tic_tac_toe, twonorm, waveform,
    )
}  # fmt: skip


def generate(name: str, **parameters) -> pd.DataFrame:
    """Return a data set of a generator by its name and parameters; the last column is ``target``."""
    if name not in GENERATORS:
        raise RotastackError(
            f"generator {name!r} is unknown{nearest(name, list(GENERATORS))}; allowed: {', '.join(GENERATORS)}"
        )
    try:
        return GENERATORS[name](**parameters)
    except TypeError as error:
        raise RotastackError(f"generator {name!r}: {error}") from None
