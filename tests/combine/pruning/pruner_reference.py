"""Naive reference pruners, written from the specification as a test oracle: plain loops, exact fractions; random pools.

votes is (n_rows, T) with class indices and -1 where a member has no say, y is (n_rows,). Whatever decides
an order or a tie is compared exactly (fractions of integers); a float parameter means the decimal it prints.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from hypothesis import strategies as st
from scipy.optimize import linprog
from sklearn.linear_model import Lasso

from rotastack.base.convex import solve
from rotastack.combine.pruning import lp_problem


def exact(number):
    """Read a number as the decimal it prints: 0.075 is 3/40."""
    return Fraction(repr(float(number)))


def error_signs(votes, y):
    """E: +1 where a member is right, -1 where it is wrong, 0 where it has no say."""
    votes, y = np.asarray(votes), np.asarray(y)
    return np.where(votes == -1, 0, np.where(votes == y[:, None], 1, -1))


def own_errors(votes, y):
    """Own error of every member: wrong rows / rows it has a say on, 1 where it has none."""
    E = error_signs(votes, y)
    wrong, says = (E == -1).sum(axis=0).tolist(), (E != 0).sum(axis=0).tolist()
    return [Fraction(w, s) if s else Fraction(1) for w, s in zip(wrong, says, strict=True)]


def heard_rows(votes):
    """Rows on which at least one member of the whole pool has a say."""
    return [i for i in range(len(votes)) if any(v != -1 for v in np.asarray(votes)[i].tolist())]


def joint_vote(votes, chosen, weights=None):
    """Plurality (or weighted) vote; ties go to the class of the earliest-chosen tied member; -1: no say."""
    votes, chosen = np.asarray(votes), [int(j) for j in chosen]
    decisions = []
    for i in range(votes.shape[0]):
        totals = {}  # insertion order is the order of choice
        for j in chosen:
            c = int(votes[i, j])
            if c != -1:
                totals[c] = totals.get(c, 0) + (1 if weights is None else float(weights[j]))
        most = max(totals.values(), default=0)
        tied = [c for c, total in totals.items() if total >= most - 1e-12]
        decisions.append(tied[0] if tied else -1)
    return np.array(decisions, dtype=int)


def joint_error(votes, y, chosen, weights=None):
    """Error of the joint vote over the rows the whole pool has a say on; no say among the chosen is wrong."""
    rows = heard_rows(votes)
    decisions = joint_vote(votes, chosen, weights)
    wrong = sum(int(decisions[i]) != int(y[i]) for i in rows)
    return Fraction(wrong, len(rows)) if rows else Fraction(1)


def ordered_curve(votes, y, order):
    """Error of the joint vote of each prefix of an order."""
    return np.array([float(joint_error(votes, y, order[: k + 1])) for k in range(len(order))])


def pair_kappa(a, b):
    """Eq. (14) on the labels of rows both have a say on; 1 where theta_2 is 1, None without such rows."""
    a, b = np.asarray(a).tolist(), np.asarray(b).tolist()
    both = [(p, q) for p, q in zip(a, b, strict=True) if p != -1 and q != -1]
    if not both:
        return None
    n = len(both)
    theta_1 = Fraction(sum(p == q for p, q in both), n)
    theta_2 = Fraction(sum(sum(p == c for p, _ in both) * sum(q == c for _, q in both) for c in set(a)), n * n)
    return Fraction(1) if theta_2 == 1 else (theta_1 - theta_2) / (1 - theta_2)


def kappa(votes, y):
    """Pairs by increasing kappa (then sum of own errors, then indices); members as they first appear."""
    votes = np.asarray(votes)
    T, errors = votes.shape[1], own_errors(votes, y)
    if T == 1:
        return [0]
    pairs = []
    for a in range(T):
        for b in range(a + 1, T):
            value = pair_kappa(votes[:, a], votes[:, b])
            pairs.append((Fraction(1) if value is None else value, errors[a] + errors[b], a, b))
    selected = []
    for _, _, a, b in sorted(pairs):
        for j in sorted((a, b), key=lambda j: (errors[j], j)):
            if j not in selected:
                selected.append(j)
    return selected


def drep_order(votes, y, rho=0.5):
    """All members: least error first; then, of the ceil(rho |rest|) of least diff, that of least joint error."""
    E, errors = error_signs(votes, y).tolist(), own_errors(votes, y)
    n, T = len(E), len(errors)
    selected = [min(range(T), key=lambda j: (errors[j], j))]
    while len(selected) < T:
        rest = [j for j in range(T) if j not in selected]
        H = [Fraction(sum(row[s] for s in selected), len(selected)) for row in E]
        diff = {j: sum(E[i][j] * H[i] for i in range(n)) / n for j in rest}
        rest.sort(key=lambda j: (diff[j], errors[j], j))
        near = rest[: max(1, math.ceil(exact(rho) * len(rest)))]
        joint = {j: joint_error(votes, y, [*selected, j]) for j in near}
        selected.append(min(near, key=lambda j: (joint[j], errors[j], j)))
    return selected


def moving_point(u, T):
    """p(u) = 2 sqrt(2u)/T, capped at 1; exact where 2u is a square."""
    return min(Fraction(1), 2 * Fraction(math.sqrt(2 * u)) / T)


def mdm(votes, y, p=0.075):
    """Eq. (19): add the member that brings the mean of the chosen signatures nearest to (p, ..., p)."""
    E, errors = error_signs(votes, y).tolist(), own_errors(votes, y)
    T, selected = len(errors), []
    for u in range(1, T + 1):
        point = moving_point(u, T) if p == "moving" else exact(p(u) if callable(p) else p)
        distance = {}
        for j in range(T):
            if j not in selected:
                mean = [Fraction(sum(row[s] for s in [*selected, j]), u) for row in E]
                distance[j] = sum((point - m) ** 2 for m in mean)
        selected.append(min(distance, key=lambda j: (distance[j], errors[j], j)))
    return selected


def meandm(votes, y):
    """Members by accuracy (what dropping the least loss of mean margin comes to)."""
    errors = own_errors(votes, y)
    return sorted(range(len(errors)), key=lambda j: (errors[j], j))


def reduced_error(votes, y):
    """Forward: each step adds the member with which the joint vote errs least."""
    errors, selected = own_errors(votes, y), []
    while len(selected) < len(errors):
        rest = [j for j in range(len(errors)) if j not in selected]
        selected.append(min(rest, key=lambda j: (joint_error(votes, y, [*selected, j]), errors[j], j)))
    return selected


def orientation(votes, y):
    """Increasing angle to the diagonal projected on the hyperplane orthogonal to the ensemble signature."""
    E, errors = error_signs(votes, y).tolist(), own_errors(votes, y)
    E = [E[i] for i in heard_rows(votes)]
    T = len(errors)
    total = [sum(row) for row in E]  # T times the ensemble signature: same direction
    square, along = sum(t * t for t in total), sum(total)
    reference = [square - along * t for t in total]  # c_ref times the positive |total|^2
    if not any(reference):
        reference = [1] * len(E)
    signed_square = {}  # sign(cos) cos^2 up to a common factor: decreasing in the angle, and exact
    for j in range(T):
        signature = [row[j] for row in E]
        norm = sum(e * e for e in signature)
        dot = sum(e * r for e, r in zip(signature, reference, strict=True))
        signed_square[j] = Fraction(dot * abs(dot), norm) if norm else Fraction(0)
    return sorted(range(T), key=lambda j: (-signed_square[j], errors[j], j))


def lp(votes, y):
    """Max rho with E w >= rho on the heard rows, w on the simplex."""
    E = error_signs(votes, y)[heard_rows(votes)]
    return float(solve(lp_problem(E))["rho"])


def lasso_weights(votes, y, lambda_, positive=True):
    """Minimiser of ||1 - D w||^2 + lambda ||w||_1, no intercept, D = E; not unique where columns depend."""
    D = error_signs(votes, y).astype(float)
    settings = {"fit_intercept": False, "positive": positive, "tol": 1e-13, "max_iter": 1_000_000}
    return Lasso(alpha=lambda_ / 2 / len(D), **settings).fit(D, np.ones(len(D))).coef_


def lasso_objective(votes, y, lambda_, w):
    """||1 - D w||^2 + lambda ||w||_1, to compare solutions that are not unique."""
    return float(np.sum((1 - error_signs(votes, y) @ w) ** 2) + lambda_ * np.sum(np.abs(w)))


def by_lasso(votes, y, weights):
    """Algorithm 2: members by descending Lasso weight."""
    errors = own_errors(votes, y)
    return sorted(range(len(errors)), key=lambda j: (-round(float(weights[j]), 9), errors[j], j))


def qmm_data(votes, y, weights=None, v=None):
    """Of (19): S = cov(E), Lambda_v and phi_v of the ceil(n v) rows first by (rounded margin, index)."""
    E = error_signs(votes, y)
    n, T = E.shape
    alpha = np.ones(T) if weights is None else np.asarray(weights, dtype=float)
    alpha = alpha / alpha.sum()
    if v is None:
        v = 0.25 if np.all(alpha == alpha[0]) else 0.5
    margins = E @ alpha
    rows = sorted(range(n), key=lambda i: (round(float(margins[i]), 12), i))[: math.ceil(n * exact(v))]
    S = np.atleast_2d(np.cov(E, rowvar=False)) if n > 1 else np.zeros((T, T))
    return S, E[rows], margins[rows]


def qmm_gap(votes, y, w, weights=None, v=None):
    """(most violated constraint of w, bound on w's excess objective by an LP): certifies without cvxpy."""
    S, Lambda, phi = qmm_data(votes, y, weights, v)
    w, gradient = np.asarray(w, dtype=float), 2 * S @ w
    violation = max([-w.min(), abs(w.sum() - 1), *(phi - Lambda @ w)])
    limits = {"A_ub": -Lambda, "b_ub": -phi + 1e-12} if len(phi) else {}
    best = linprog(gradient, A_eq=np.ones((1, len(w))), b_eq=[1.0], bounds=(0, None), **limits)
    assert best.status == 0, best.message
    return float(violation), float(gradient @ w - best.fun)


def pairwise(columns, value):
    """Symmetric matrix of value(a, b) over the rows both have a say on (None); nan without such rows."""
    T = columns.shape[1]
    matrix = np.empty((T, T))
    for a, b in np.ndindex(T, T):
        result = value(columns[:, a].tolist(), columns[:, b].tolist())
        matrix[a, b] = np.nan if result is None else float(result)
    return matrix


def share_unlike(a, b):
    """Share of the rows both have a say on where two columns of labels differ; None without such rows."""
    both = [(p, q) for p, q in zip(a, b, strict=True) if p != -1 and q != -1]
    return Fraction(sum(p != q for p, q in both), len(both)) if both else None


def disagreement(votes, y):
    """Eq. (3) of drmf.txt: share of the rows both have a say on where exactly one of the two is right."""
    rightness = {1: 1, -1: 0, 0: -1}
    columns = [[rightness[e] for e in row] for row in error_signs(votes, y).tolist()]
    return pairwise(np.array(columns), share_unlike)


def paper_diversity(votes, selected):
    """Eq. (25) of qmm.txt: 1 - sum diff(h_i, h_j)/(T(T-1)), ordered pairs of selected, T of the pool."""
    T, matrix = np.asarray(votes).shape[1], pairwise(np.asarray(votes), share_unlike)
    differences = [matrix[a, b] for a in selected for b in selected if a != b and not np.isnan(matrix[a, b])]
    return 1 - sum(differences) / (T * (T - 1)) if T > 1 else 1.0


def multiclass_margins(votes, y):
    """Votes for the right class minus the most for a wrong one, over the members with a say; nan: none."""
    margins = []
    for row, right in zip(np.asarray(votes), np.asarray(y).tolist(), strict=True):
        says = row[row != -1].tolist()
        wrong = max((says.count(c) for c in set(says) if c != right), default=0)
        margins.append((says.count(right) - wrong) / len(says) if says else math.nan)
    return np.array(margins)


def kl_inverse_log(q, u):
    """-ln(1 - p) of the largest p in [q, 1] with D(q||p) <= u of (11), q where u <= 0; by bisection."""
    if q == 1 or u <= 0:
        return math.inf if q == 1 else -math.log(1 - q)
    low = -math.log(1 - q)
    high = low + (u + 2) / (1 - q)
    for _ in range(200):
        s = (low + high) / 2
        d = (q * math.log(q / -math.expm1(-s)) if q else 0.0) + (1 - q) * (math.log(1 - q) + s)
        low, high = (s, high) if d <= u else (low, s)
    return low


def equilibrium_margin(margins, hypothesis_size, delta=0.05):
    """(23), (24) by trying all q = k/n, 0 <= k <= n: q, theta and bound of the tightest."""
    margins = sorted(m for m in np.asarray(margins, dtype=float).tolist() if not math.isnan(m))
    n, log_size, least = len(margins), math.log(hypothesis_size), math.sqrt(8 / hypothesis_size)
    best = (math.inf, 1.0, 1.0)
    for k in range(n + 1):
        theta = 1.0 if k == n else min(1.0, margins[k])  # sup of the theta with at most k margins <= theta
        if theta > least:
            u = (8 * log_size / theta**2 * math.log(2 * n * n / log_size) + log_size + math.log(1 / delta)) / n
            best = min(best, (kl_inverse_log(k / n, u), k / n, theta))
    surprise, q, theta = best
    return q, theta, log_size / n + max(q, -math.expm1(-surprise))


def pools(max_rows=12, max_members=7, max_classes=4, silent=True, unequal=False):
    """Strategy of (votes, y), or (votes, y, weights) with unequal=True; shrinks to few of everything.

    silent=False draws no -1; otherwise every row and every member has at least one say.
    """

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
            # The right label or class 0 in the first place: no draw, so it shrinks.
            votes[(votes == -1).all(axis=1), 0] = 0
            votes[0, (votes == -1).all(axis=0)] = y[0]
        if not unequal:
            return votes, y
        raw = draw(st.lists(st.integers(1, 20), min_size=votes.shape[1], max_size=votes.shape[1]))
        return votes, y, np.array(raw) / sum(raw)

    return draw_pool()
