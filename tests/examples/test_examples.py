"""Every script of the gallery runs, and draws what its text says."""

import ast
import importlib
import re
import tracemalloc
from functools import partial
from itertools import combinations
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from matplotlib.colors import to_hex
from scipy.spatial.distance import cdist
from tests.examples.claims import CLAIMS

FOLDER = Path(__file__).parents[2] / "examples"
SLOW = (
    "boosting_on_views", "calibration", "class_weights", "comparing_methods", "exrm_seconds", "exrm_table_2", "how_many_trees",
    "noisy_square", "projections", "pruned_to_a_tenth", "questions", "rotated", "spheres", "when_rotations_help",
)  # fmt: skip
"""Scripts of more than a second; the others run in `make test`."""
SCRIPTS = sorted(path.stem.removeprefix("plot_") for path in FOLDER.glob("plot_*.py"))


def dots(axis):
    """Places of the rows that are drawn last on an axes."""
    return np.asarray(axis.collections[-1].get_offsets())


def corner(axis):
    return axis.texts[0].get_text()


# ---------- every script


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("name", [pytest.param(n, marks=[pytest.mark.slow] * (n in SLOW)) for n in SCRIPTS])
def test_a_script_draws(gallery, name):
    ran = gallery(name)
    assert ran.figures
    for figure in ran.figures:
        assert any(axis.has_data() for axis in figure.axes)
        figure.canvas.draw()
    CLAIMS.get(name, lambda ran: None)(ran)


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_script_is_fit_for_the_gallery(name):
    source = (FOLDER / f"plot_{name}.py").read_text(encoding="utf-8")
    tree = ast.parse(source)
    title, underline, blank, *text = ast.get_docstring(tree).splitlines()
    assert title
    assert (underline, blank) == ("=" * len(title), "")
    assert text
    assert title.endswith("?")
    assert re.match(r"[^.?]*\?", " ".join(text).strip()), "the first sentence is a question"
    *_, shown, seen = source.split("\n# %%\n")
    assert shown.endswith("\nplt.show()\n")
    assert seen.startswith("# Result: "), "the last block states the result"
    assert all(line.startswith("# ") for line in seen.splitlines())
    assert "savefig" not in source


def test_claims_are_of_scripts_that_are_there():
    assert set(CLAIMS) <= set(SCRIPTS)


@pytest.mark.parametrize("name", SCRIPTS)
def test_the_list_has_every_script_by_its_question(name):
    title = (FOLDER / f"plot_{name}.py").read_text(encoding="utf-8").splitlines()[1]
    assert f"\n* {title} ``plot_{name}.py``\n" in (FOLDER / "README.rst").read_text(encoding="utf-8") + "\n"


def test_the_site_lists_the_same_scripts_in_the_same_order():
    listed, linked = (
        re.findall(r"(plot_\w+\.py)`", (FOLDER / name).read_text(encoding="utf-8"))
        for name in ("README.rst", "GALLERY_HEADER.rst")
    )
    assert len(listed) == len(SCRIPTS)
    assert listed == linked


@pytest.mark.parametrize("name", [*(f"plot_{name}" for name in SCRIPTS), "_shared"])
def test_a_script_uses_public_names_only(name):
    tree = ast.parse((FOLDER / f"{name}.py").read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module.startswith("rotastack"):
            public = importlib.import_module(node.module).__all__
            assert {alias.name for alias in node.names} <= set(public)


# ---------- boundaries


def test_regions_are_those_of_the_classifiers_and_the_dashed_line_is_optimal(gallery):
    ran = gallery("boundaries")
    assert [[axis.get_title() for axis in figure.axes] for figure in ran.figures] == [
        ["one tree", "one rotated tree", "RF, 2000 trees", "RR-RF, 2000 trees"],
        ["one tree, no rotations", "one tree, 20 rotations"],
    ]
    for axis in (axis for figure in ran.figures for axis in figure.axes):
        regions, optimal, rows = axis.collections
        assert set(np.unique(regions.get_array())) == {0, 1}
        for path in optimal.get_paths():  # straight between the points of the grid
            np.testing.assert_allclose(ran.posterior(path.vertices), 0.5, atol=0.05)
        assert optimal.get_linestyles()[0][1] is not None  # dashed
        np.testing.assert_array_equal(rows.get_offsets(), ran.X)
        rows.update_scalarmappable()
        assert [to_hex(c).upper() for c in rows.get_facecolors()[:2]] == ["#0072B2", "#D55E00"]


def test_many_rotated_trees_are_closest_to_the_optimal_boundary(gallery):
    ran = gallery("boundaries")
    wrong = {}
    for axis in ran.figures[0].axes:
        regions = axis.collections[0]
        corners = np.asarray(regions.get_coordinates())
        centres = (corners[:-1, :-1] + corners[1:, 1:]) / 2
        decided = np.asarray(regions.get_array()).reshape(centres.shape[:2])
        sure = abs(ran.posterior(centres) - 0.5) > 0.05
        near = (ran.X.min(axis=0) < centres).all(axis=-1) & (centres < ran.X.max(axis=0)).all(axis=-1)
        wrong[axis.get_title()] = ((decided == 1) != (ran.posterior(centres) > 0.5))[sure & near].mean()
    assert min(wrong, key=wrong.get) == "RR-RF, 2000 trees"


@pytest.fixture(scope="module")
def mixture(gallery):
    return gallery("boundaries").gaussian_mixture


def test_posterior_is_the_ratio_of_densities(mixture):
    _, _, posterior = mixture(1, np.random.default_rng(0))
    (means,) = posterior.args
    points = np.random.default_rng(1).uniform(-3, 4, (50, 2))
    for point, probability in zip(points, posterior(points), strict=True):
        density = [
            sum(np.exp(-np.sum((point - m) ** 2) / 0.4) / (2 * np.pi * 0.2) for m in means[k]) / 10 for k in (0, 1)
        ]
        assert probability == pytest.approx(density[1] / (density[0] + density[1]), rel=1e-9)


def test_posterior_keeps_the_shape_of_a_grid_and_is_finite_far_away(mixture):
    _, _, posterior = mixture(1, np.random.default_rng(0))
    grid = np.stack(np.meshgrid(np.linspace(-1, 2, 7), np.linspace(-1, 2, 5)), axis=-1)
    assert posterior(grid).shape == (5, 7)
    assert posterior(grid)[2, 3] == posterior(grid[2, 3])
    far = posterior([[500.0, -500.0], [-500.0, 500.0]])
    assert set(far) <= {0.0, 1.0}  # no 0 / 0


def test_rows_of_the_mixture_follow_its_posterior(mixture):
    X, y, posterior = mixture(200_000, np.random.default_rng(4))
    p = posterior(X)
    tenth = np.minimum((10 * p).astype(int), 9)
    for k in range(10):
        inside = tenth == k
        assert inside.sum() > 500
        assert y[inside].mean() == pytest.approx(p[inside].mean(), abs=4 * 0.5 / np.sqrt(inside.sum()))


def test_mixture_has_balanced_classes_and_the_stated_moments(mixture):
    X, y, posterior = mixture(100_001, np.random.default_rng(0))
    assert np.bincount(y).tolist() == [50_001, 50_000]
    assert np.bincount(y[:11]).tolist() == [6, 5]
    (means,) = posterior.args
    for k in (0, 1):
        np.testing.assert_allclose(X[y == k].mean(axis=0), means[k].mean(axis=0), atol=0.03)
        np.testing.assert_allclose(np.cov(X[y == k].T), np.cov(means[k].T, bias=True) + 0.2 * np.eye(2), atol=0.05)


def test_means_are_drawn_around_the_centres_of_the_classes(mixture):
    rng = np.random.default_rng(0)
    means = np.array([mixture(1, rng)[2].args[0] for _ in range(2000)])
    np.testing.assert_allclose(means.mean(axis=(0, 2)), [[1, 0], [0, 1]], atol=0.03)
    np.testing.assert_allclose(means.std(axis=(0, 2)), 1, atol=0.03)


def test_equal_seeds_give_equal_means_for_any_number_of_rows(mixture):
    small, large = (mixture(n, np.random.default_rng(7))[2] for n in (3, 300))
    np.testing.assert_array_equal(small([[0.3, 0.4], [1, 1]]), large([[0.3, 0.4], [1, 1]]))
    assert isinstance(small, partial)


# ---------- spheres


@pytest.mark.slow
def test_mean_distances_are_those_of_all_pairs_in_little_memory(gallery):
    mean_distances, rows = gallery("spheres").mean_distances, gallery("spheres").rotations[:, 0]
    np.testing.assert_allclose(mean_distances(rows[:57]), cdist(rows[:57], rows[:57]).sum(axis=1) / 56)
    tracemalloc.start()
    mean_distances(rows)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(rows) == 10_000
    assert peak < 100e6


def test_points_of_the_spheres_are_unit_vectors_and_only_the_front_is_drawn(gallery):
    ran = gallery("spheres")
    assert [axis.get_title() for axis in ran.figures[0].axes[:2]] == list(ran.points)
    for axis, rows in zip(ran.figures[0].axes, ran.points.values(), strict=False):
        np.testing.assert_allclose((rows**2).sum(axis=1), 1)
        drawn = np.transpose(axis.collections[0]._offsets3d)
        np.testing.assert_array_equal(drawn, rows[rows @ ran.FRONT > 0])
    assert (ran.FRONT > 0).all()


def test_uniform_rotations_spread_evenly_and_uniform_angles_crowd_at_the_poles(gallery):
    ran = gallery("spheres")
    uniform, naive = ran.distances.values()
    assert np.ptp(uniform) < 0.3 * np.ptp(naive)
    height = abs(ran.points["naive: two uniform angles"][:, 2])
    assert naive[height > 0.97].max() < naive[height < 0.3].min()


# ---------- weights


def test_weights_are_drawn_from_rank_one(gallery):
    (axis,) = gallery("weights").figures[0].axes
    assert [line.get_label() for line in axis.lines] == [
        f"{weighting}, h = {h}" for weighting in ("cut", "exp") for h in (5, 10, 20)
    ]
    for line, h in zip(axis.lines, [5, 10, 20] * 2, strict=True):
        weights = line.get_ydata()
        np.testing.assert_array_equal(line.get_xdata(), np.arange(1, 101))
        assert weights.sum() == pytest.approx(1)
        if line.get_label().startswith("cut"):
            np.testing.assert_allclose(weights, (np.arange(100) < h) / h)
        else:
            np.testing.assert_allclose(weights[h:], weights[:-h] / 2)
    assert len({(line.get_color(), line.get_linestyle()) for line in axis.lines}) == 6
    assert axis.get_xlim() == (1, 100)
    assert axis.get_ylim()[0] == 0
    assert (axis.get_xlabel(), axis.get_ylabel()) == ("rank", "weight")


# ---------- rotated rows


@pytest.mark.parametrize(
    ("case", "below", "above", "share"),
    [
        ("a", [(0.5, 0.49), (0.9, 0.89)], [(0.5, 0.51), (0.1, 0.11)], 1 / 2),
        ("b", [(0.1, 0.49), (0.75, 0.49), (1.0, 0.74)], [(0.1, 0.51), (0.7, 0.51), (1.0, 0.76)], 15 / 32),
        ("c", [(0.1, 0.49), (0.7, 0.69), (1.0, 0.99)], [(0.1, 0.51), (0.5, 0.51), (0.7, 0.71)], 3 / 8),
    ],
)
def test_triangle_problems(shared, case, below, above, share):
    fixed = SimpleNamespace(random=lambda shape: np.array([*below, *above]).reshape(shape))
    drawn = shared.triangle_problem(case, 2 * len(below), fixed)[1]
    assert drawn.tolist() == [0] * len(below) + [1] * len(above)
    X, y = shared.triangle_problem(case, 100_000, np.random.default_rng(0))
    assert X.min() >= 0
    assert X.max() <= 1
    np.testing.assert_allclose(X.mean(axis=0), 0.5, atol=0.01)
    assert y.mean() == pytest.approx(share, abs=0.006)


@pytest.mark.slow
@pytest.mark.parametrize("k", range(3))
def test_rotated_panels_follow_complexity(gallery, shared, k):
    figure = gallery("rotated").figures[k]
    X, _ = shared.triangle_problem("abc"[k], 400, np.random.default_rng(0))
    assert [part.get_suptitle() for part in figure.subfigs] == ["20 least complex", "20 most complex"]
    numbers = [float(corner(axis)) for axis in figure.axes]
    assert len(numbers) == 40
    assert numbers == sorted(numbers)
    assert numbers[19] < numbers[20]
    span = np.ptp(figure.axes[0].get_xlim())
    seen = set()
    for axis in figure.axes:
        drawn = dots(axis)
        np.testing.assert_allclose(drawn @ drawn.T, X @ X.T, atol=1e-5)  # turned, and nothing else
        assert (np.ptp(axis.get_xlim()), np.ptp(axis.get_ylim())) == pytest.approx((span, span))
        low, high = np.array([axis.get_xlim(), axis.get_ylim()]).T
        assert (drawn > low).all()
        assert (drawn < high).all()
        seen.add(drawn.tobytes())
    assert len(seen) == 40  # no rotation is drawn twice


@pytest.mark.slow
def test_an_oblique_boundary_is_aligned_on_the_simplest_rotations_and_oblique_on_the_most_complex(gallery, shared):
    X, _ = shared.triangle_problem("a", 400, np.random.default_rng(0))
    aligned = []  # how far the boundary's normal is along an axis: from 0.71, oblique, to 1
    for axis in gallery("rotated").figures[0].axes:
        rotation = np.linalg.lstsq(X, dots(axis), rcond=None)[0]
        aligned.append(abs(np.array([1, -1]) @ rotation).max() / np.sqrt(2))
    assert min(aligned[:10]) > 0.97
    assert max(aligned[-10:]) < 0.9


@pytest.mark.slow
@pytest.mark.parametrize("place", [0, -1])
def test_projections_have_all_planes_of_the_simplest_and_the_most_complex_rotation(gallery, place):
    ran = gallery("projections")
    axes = iter(ran.figures[place].axes)
    for line, (p, forest) in enumerate(ran.forests.items()):
        worst = forest.complexity_.max() if place else forest.complexity_.min()
        k = list(forest.complexity_).index(worst)
        for a, b in combinations(range(p), 2):
            axis = next(axes)
            assert axis.get_subplotspec().rowspan.start == line
            assert corner(axis) == f"{a + 1}, {b + 1}"
            assert axis.get_ylabel() == ("" if (a, b) != (0, 1) else f"p = {p}\ncomplexity {worst:.4g}")
            np.testing.assert_allclose(dots(axis), (ran.rows[:, :p] @ forest.rotations_[k])[:, [a, b]], rtol=1e-6)
            assert np.ptp(axis.get_xlim()) == pytest.approx(np.ptp(axis.get_ylim()))
    assert next(axes, None) is None


# ---------- the noisy square


@pytest.mark.slow
def test_so_many_labels_of_the_square_are_wrong(gallery):
    X, y = gallery("noisy_square").noisy_square(1000, 20, np.random.default_rng(0))
    assert ((X.sum(axis=1) < 1) & (y == 1)).sum() == 20
    assert not ((X.sum(axis=1) > 1) & (y == 0)).any()


@pytest.mark.slow
def test_qmm_keeps_fewer_trees_for_about_the_same_error(gallery):
    titles = [axis.get_title() for axis in gallery("noisy_square").figures[0].axes]
    kept = [int(title.split(", ")[1].split()[0]) for title in titles]
    errors = [float(title.split()[-1]) for title in titles]
    assert kept[0] == kept[2] == 500
    assert max(kept[1], kept[3]) < 250
    assert max(errors) < 0.05
    assert abs(np.diff(errors)[[0, 2]]).max() < 0.015
