"""Cases worked out by hand. CASES: dicts of pruner, votes, y, kwargs, expected (what is determined) and why.

expected may hold selected (in order), weights, objective, rho, lasso; check(case, module) runs one.
VALUES: (name, function of the module, expected) for the diagnostics.
"""

from __future__ import annotations

import math

import numpy as np


def rights(*members):
    """(votes, y) from strings of R (right), W (wrong), - (no say), a string per member; y is all class 0."""
    code = {"R": 0, "W": 1, "-": -1}
    votes = np.array([[code[letter] for letter in member] for member in members]).T
    return votes, np.zeros(votes.shape[0], dtype=int)


def labels(truth, *members):
    """(votes, y) from strings of class digits (- for no say)."""
    votes = np.array([[-1 if letter == "-" else int(letter) for letter in member] for member in members]).T
    return votes, np.array([int(letter) for letter in truth])


CASES = []


def case(pruner, pool, why, expected, **kwargs):
    """Append a case."""
    CASES.append({"pruner": pruner, "votes": pool[0], "y": pool[1], "kwargs": kwargs, "expected": expected, "why": why})


# ---- kappa
THREE = labels("0011", "0011", "0101", "1100")  # own errors 0, 1/2, 1; kappa 01: 0, 02: -1, 12: 0
case("kappa", THREE, "pair (0,2) at -1, the right one first", {"selected": [0, 2]}, n_select=2)
case("kappa", THREE, "then (0,1) brings member 1", {"selected": [0, 2, 1], "weights": [1 / 3] * 3}, n_select=3)
case("kappa", THREE, "0.5 x 3 = 1.5 rounds up to 2", {"selected": [0, 2]}, n_select=0.5)
case("kappa", THREE, "0.1 x 3 = 0.3 is at least 1", {"selected": [0], "weights": [1, 0, 0]}, n_select=0.1)
CONSTANT = labels("0001", "0000", "0000", "0111")  # own errors 1/4, 1/4, 1/2; kappa 01: 1 (0/0), 02 = 12: 0
case("kappa", CONSTANT, "(0,2) before (1,2) by index, 0 before 2 by error", {"selected": [0, 2]}, n_select=2)
case("kappa", CONSTANT, "equal constants come last", {"selected": [0, 2, 1]}, n_select=3)
case("kappa", rights("W"), "T = 1", {"selected": [0], "weights": [1]}, n_select=1)
FLIP = labels("0011", "1100", "1100", "0011")  # kappa 01: 1, 02: -1, 12: -1: all three tie-breaks by index
case("kappa", FLIP, "(0,2), in it 2 (error 0) before 0 (error 1)", {"selected": [2, 0, 1]}, n_select=3)

# ---- P1: errors all 1/3, member 3 a duplicate of member 0; 0, 1, 2 together are always right
P1 = rights("RRRRWW", "WWRRRR", "RRWWRR", "RRRRWW")
case("drep", P1, "a pair votes as its first: the error never falls", {"selected": [0]}, rho=0.5)
case("drep", P1, "diff 1: -1/3, 2: -1/3, 3: 1", {"selected": [0, 1, 2]}, rho=0.5, stop="higher")
case("drep", P1, "errors 1/3 1/3 0 1/3", {"selected": [0, 1, 2]}, rho=0.5, stop=None)
P1_DEAF = rights("RRR---", "W--RR-", "----RW")  # own errors 0, 1/3, 1/2; alone in the joint vote 1/2, 2/3, 5/6
case("drep", P1_DEAF, "01: 1/6, 02: 1/3, 012: 1/6", {"selected": [0, 1], "weights": [0.5, 0.5, 0]}, rho=1.0)
case("drep", P1_DEAF, "diff 1: -1/6, 2: 0; ceil(.5 x 2) = 1", {"selected": [0, 1]}, rho=0.5)
case("drep", rights("WW", "RR"), "an always-right member needs no other", {"selected": [1]}, rho=1.0)

# ---- MDM
case("mdm", P1, "all tie, then 1 and 2 tie before 3, then 2", {"selected": [0, 1, 2]}, n_select=3, p=0.075)
XZY = rights("RRRR", "RRRW", "RRWW")
case("mdm", XZY, "squares 2.5725 for 1, 1.7225 for 2", {"selected": [0, 2]}, n_select=2, p=0.075)
case("mdm", XZY, "squares 1 for 1, 2 for 2", {"selected": [0, 1]}, n_select=2, p=1.0)
case("mdm", XZY, "squares 1 and 1: the lower own error", {"selected": [0, 1]}, n_select=2, p=0.5)
case("mdm", XZY, "p(1) = .943, p(2) = 4/3 capped at 1", {"selected": [0, 1]}, n_select=2, p="moving")
case("mdm", XZY, "p(2) = .15", {"selected": [0, 2]}, n_select=2, p=lambda u: 0.075 * u)
WIDE = rights("RRRR", "RRRW", "RRWW", *["WWWW"] * 6)
case("mdm", WIDE, "T = 9: p(2) = 4/9: 1.123, 1.012, .790", {"selected": [0, 3]}, n_select=2, p="moving")
case("mdm", rights("R-", "-R", "RR"), "a no-say is 0", {"selected": [0, 1]}, n_select=2, p=0.075)

# ---- P2: own errors 1/2, 1/4, 1/4, 1/4
P2 = rights("RRWW", "RRRW", "WRRR", "RWRR")
case("meandm", P2, "prefix errors 1/4 1/4 0 1/4", {"selected": [1, 2, 3], "weights": [0, 1 / 3, 1 / 3, 1 / 3]})
case("meandm", P2, "by accuracy, then index", {"selected": [1, 2, 3, 0]}, n_select=4)
case("meandm", rights("R---", "RRRW"), "error 0 on one row; prefix errors 3/4, 1/4", {"selected": [0, 1]})
case("reduced_error", P2, "1/4; all 1/4: own error; 3 gives 0", {"selected": [1, 2, 3, 0]}, n_select=4)
case("reduced_error", rights("R---", "RRRW"), "rows without a say are wrong", {"selected": [1]}, n_select=1)
case("reduced_error", rights("R-", "W-"), "a row nobody has a say on is left out", {"selected": [0]}, n_select=0.5)

# ---- orientation
AAB = rights("RRRRWW", "RRRRWW", "RWWWRR")  # total (3,1,1,1,-1,-1), c_ref ~ (2,10,10,10,18,18): dots -4 -4 8
case("orientation", AAB, "the less accurate one points the right way", {"selected": [2, 0, 1]}, n_select=3)
case("orientation", rights("RW", "WR", "RR"), "c_ref = 0: the diagonal", {"selected": [2, 0, 1]}, n_select=3)
case("orientation", rights("WR", "RW"), "c_ens = 0: the diagonal, all at pi/2", {"selected": [0, 1]}, n_select=2)
case("orientation", rights("W", "R"), "total 0", {"selected": [1]}, n_select=1)
SOME = rights("RR-", "RWR", "-RR")  # total (2,1,2), c_ref ~ (-1,4,-1): 3/sqrt 2, -6/sqrt 3, 3/sqrt 2
case("orientation", SOME, "norms are over the rows with a say", {"selected": [0, 2, 1]}, n_select=3)

# ---- LP
case("lp", rights("RRW", "RWR", "WRR"), "symmetric", {"selected": [0, 1, 2], "weights": [1 / 3] * 3, "rho": 1 / 3})
case("lp", rights("RW", "RR"), "the always-right", {"selected": [1], "weights": [0, 1], "rho": 1})
case("lp", rights("WW"), "T = 1, always wrong", {"selected": [0], "weights": [1], "rho": -1})
case("lp", rights("RW", "WR"), "halves", {"weights": [0.5, 0.5], "rho": 0})
case("lp", rights("R--", "-R-"), "no-says are 0, the last row is left out", {"weights": [0.5, 0.5], "rho": 0.5})

# ---- margin: orthogonal columns give w_j = max(0, d'1 - lambda/2)/n
ORTHOGONAL = rights("RRRW", "RRWR", "RWRR", "WRRR")
case(
    "margin",
    ORTHOGONAL,
    "w = (2 - 1)/4 each; prefix errors 1/4 1/4 0",
    {"selected": [0, 1, 2], "lasso": [0.25] * 4},
    lambda_=2.0,
)
case("margin", rights("RRWW", "RRRR"), "w = 0, 3/4", {"selected": [1], "lasso": [0, 0.75]}, lambda_=2.0)
case("margin", P2, "all weights 0: own error, index", {"selected": [1, 2, 3], "lasso": [0] * 4}, lambda_=100.0)
case("margin", P2, "order 0 2 1 3: 1/2 1/2 1/4 1/4", {"selected": [0, 2, 1]}, lambda_=1.0, lasso=[0.9, 0.1, 0.2, 0])
case("margin", rights("WWW"), "one wrong member, w = 0", {"selected": [0], "lasso": [0]}, lambda_=1.0)

# ---- QMM: S of (RRRW, RRWR) is [[1, -1/3], [-1/3, 1]]
case("qmm", rights("RRRW", "RRWR"), "row 2: w0 >= w1", {"weights": [0.5, 0.5], "objective": 1 / 3}, v=0.25)
case("qmm", rights("RRRW", "RRRR"), "w0^2 alone", {"weights": [0, 1], "objective": 0}, v=0.5)
WRONG = rights("RRRW", "WWWW")  # margins under equal weights 0 0 0 -1: rows in the order 3 0 1 2
case("qmm", WRONG, "row 3 always holds: all on the wrong one", {"weights": [0, 1], "objective": 0}, v=0.25)
case("qmm", WRONG, "row 0: w0 - w1 >= 0", {"weights": [0.5, 0.5], "objective": 0.25}, v=0.5)
case("qmm", WRONG, "w0 - w1 >= .6", {"weights": [0.8, 0.2], "objective": 0.64}, v=0.5, weights=[0.8, 0.2])
case("qmm", WRONG, "default v = .5, scaled weights", {"weights": [0.8, 0.2], "objective": 0.64}, weights=[4, 1])
case("qmm", rights("RW"), "T = 1: var 2", {"weights": [1], "objective": 2}, v=0.5)
case("qmm", rights("R", "W"), "n = 1, v = 1: w0 >= w1, any; S = 0", {"objective": 0}, v=1.0)

# ---- diagnostics
TEN = labels("0000000000", "1111000000", "1110100000")  # theta_1 .8, theta_2 .52
FIT = math.exp(4)  # ln|H| = 4
U_ONE = (32 * math.log(2 * 1000**2 / 4) + 4 + math.log(20)) / 1000  # all margins 1, n = 1000, delta = .05
VALUES = [
    ("kappa 7/12", lambda m: m.kappa_matrix(TEN[0])[0, 1], 7 / 12),
    ("kappa of a pair on the rows of both", lambda m: float(m.pair_kappa([0, 0, -1, 1], [0, 1, 1, -1])), 0.0),
    ("kappa of equal constants", lambda m: m.kappa_matrix(labels("01", "11", "11")[0]), np.ones((2, 2))),
    (
        "disagreement of P1",
        lambda m: m.disagreement(*P1),
        [[0, 2 / 3, 2 / 3, 0], [2 / 3, 0, 2 / 3, 2 / 3], [2 / 3, 2 / 3, 0, 2 / 3], [0, 2 / 3, 2 / 3, 0]],
    ),
    ("both wrong, other labels: right/wrong", lambda m: m.disagreement(*labels("00", "10", "20"))[0, 1], 0),
    ("both wrong, other labels: labels", lambda m: m.label_disagreement(labels("00", "10", "20")[0])[0, 1], 0.5),
    ("disagreement on the rows of both", lambda m: m.disagreement(*rights("RR-W", "RW--"))[0, 1], 0.5),
    ("no common row", lambda m: m.disagreement(*rights("R-", "-R"))[0, 1], math.nan),
    ("mean over 01, 03, 13", lambda m: m.mean_pairwise(m.label_disagreement(P1[0]), [0, 1, 3]), 4 / 9),
    ("paper diversity 1 - (4/3)/12", lambda m: m.paper_diversity(P1[0], [0, 1]), 8 / 9),
    ("paper diversity of one", lambda m: m.paper_diversity(P1[0], [2]), 1.0),
    (
        "margins",
        lambda m: m.multiclass_margins(np.array([[0, 0, 1, 2, -1]] * 2 + [[-1] * 5, [1] * 5]), [0, 3, 0, 1]),
        [0.25, -0.5, math.nan, 1],
    ),
    ("cumulative", lambda m: m.cumulative_margins([0.5, -1, math.nan, 0.5], [-1, 0, 0.5]), [1 / 3, 1 / 3, 1]),
    ("inverse at q = 0", lambda m: m.kl_inverse(0, 0.7), 1 - math.exp(-0.7)),
    ("inverse at q = 1/2", lambda m: m.kl_inverse(0.5, 0.5 * math.log(1 / 0.64)), 0.8),
    ("inverse at q = 1", lambda m: m.kl_inverse(1, 0.3), 1.0),
    (
        "EMargin of all margins 1",
        lambda m: [m.equilibrium_margin([1] * 1000, FIT)[k] for k in ("q", "theta", "bound", "v")],
        [0, 1, 4 / 1000 + 1 - math.exp(-U_ONE), 1],
    ),
    ("curve of P2", lambda m: m.ordered_curve(*P2, [1, 2, 3, 0]), [0.25, 0.25, 0, 0.25]),
    (
        "a tie goes to the earliest",
        lambda m: m.joint_vote(labels("0", "2", "1", "0", "1", "2")[0], [1, 0, 2, 4, 3]),
        [1],
    ),
    ("weighted tie at .3", lambda m: m.joint_vote([[1, 0, 0]], [0, 1, 2], [0.3, 0.1, 0.2]), [1]),
    ("no say", lambda m: m.joint_vote([[-1, 0]], [0]), [-1]),
    ("half up", lambda m: [m.target_size(f, 5) for f in (0.5, 0.3, 0.1, 0.01, 5, 1.0, 1)], [3, 2, 1, 1, 5, 5, 1]),
]


def check(one, module, atol=1e-6):
    """Assert what a case expects of the functions of pruner_reference."""
    expected, arguments = one["expected"], (one["votes"], one["y"])
    result = getattr(module, one["pruner"])(*arguments, **one["kwargs"])
    if one["pruner"] == "qmm":
        np.testing.assert_allclose(result[0], expected["objective"], atol=atol, err_msg=one["why"])
    elif "selected" in expected:
        assert list(result[0]) == expected["selected"], (one["why"], result)
    if "weights" in expected:
        loose = 10 * atol if one["pruner"] == "qmm" else atol  # an objective of 1e-12 allows weights of 1e-6
        np.testing.assert_allclose(result[1], expected["weights"], atol=loose, err_msg=one["why"])
    if "rho" in expected:
        np.testing.assert_allclose(result[2], expected["rho"], atol=atol, err_msg=one["why"])
    if "lasso" in expected:
        lasso = module.lasso_weights(*arguments, one["kwargs"]["lambda_"])
        np.testing.assert_allclose(lasso, expected["lasso"], atol=atol, err_msg=one["why"])
