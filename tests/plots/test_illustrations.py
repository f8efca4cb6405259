import tracemalloc

import numpy as np
import pytest
from matplotlib.colors import to_hex
from scipy.spatial.distance import cdist

from rotastack.plots.boundaries import plot_boundaries
from rotastack.plots.rotated import plot_projections, plot_rotated
from rotastack.plots.sphere import _FRONT, _distance_sums, plot_spheres
from rotastack.plots.style import METHOD_COLORS, save_figure
from rotastack.plots.weights import plot_weights

EDGES = (-1.0, 3.0, 0.0, 2.0)


def grid(n_y=41, n_x=81):
    return np.meshgrid(np.linspace(*EDGES[:2], n_x), np.linspace(*EDGES[2:], n_y))


def titles(figure):
    return [axis.get_title() for axis in figure.axes]


def corners(figure):
    return [axis.texts[0].get_text() for axis in figure.axes]


def contours(axis, style):
    """Vertices of the contour lines of an axes whose width is that of the optimal or decided boundary."""
    width = {"optimal": 1.3, "decided": 0.8}[style]
    found = [c for c in axis.collections if hasattr(c, "levels") and c.get_linewidths()[0] == width]
    return [path.vertices for c in found for path in c.get_paths() if len(path.vertices)]


# ---------- boundaries


def test_boundaries_have_one_panel_per_classifier_in_order():
    _, y = grid()
    panels = {name: (y > level).astype(int) for name, level in zip("dbca", (0.3, 0.6, 0.9, 1.2), strict=True)}
    figure = plot_boundaries(panels, [[0, 1.5], [1, 0.5]], [1, 0], EDGES)
    assert titles(figure) == list("dbca")
    columns = [axis.get_subplotspec().colspan.start for axis in figure.axes]
    assert columns == [0, 1, 0, 1]
    for axis, numbers in zip(figure.axes, panels.values(), strict=True):
        np.testing.assert_array_equal(axis.images[0].get_array(), numbers)
    three = plot_boundaries(dict(list(panels.items())[:3]), [[0, 1]], [0], EDGES, n_columns=3)
    assert [axis.get_subplotspec().colspan.start for axis in three.axes] == [0, 1, 2]


def test_spare_panels_are_left_out():
    _, y = grid()
    figure = plot_boundaries({k: (y > 1).astype(int) for k in "abc"}, [[0, 1]], [0], EDGES)
    assert titles(figure) == ["a", "b", "c"]


def test_boundaries_lie_where_the_classes_change():
    x, y = grid()
    figure = plot_boundaries({"a": (x > 1.025).astype(int)}, [[0, 1]], [0], EDGES, optimal=y / 2)
    axis = figure.axes[0]
    (decided,), (optimal,) = contours(axis, "decided"), contours(axis, "optimal")
    np.testing.assert_allclose(decided[:, 0], 1.025)
    np.testing.assert_allclose(optimal[:, 1], 1.0)  # the .5 level of y / 2
    assert np.ptp(optimal[:, 0]) == pytest.approx(4)
    (line,) = [c for c in axis.collections if hasattr(c, "levels") and c.get_linewidths()[0] == 1.3]
    assert line.get_linestyles()[0][1] is not None  # dashed
    assert axis.get_xlim() == EDGES[:2]
    assert axis.get_ylim() == EDGES[2:]
    assert axis.images[0].origin == "lower"  # the first row of the grid is at y_min
    left, right, bottom, top = axis.images[0].get_extent()  # pixels are centred on the grid
    assert (left, right) == pytest.approx((-1.025, 3.025))
    assert (bottom, top) == pytest.approx((-0.025, 2.025))


def test_optimal_class_numbers_of_three_classes_are_drawn_once_each():
    x, _ = grid()
    number = np.digitize(x, [0.025, 2.025])  # 0, 1, 2 from the left
    number = np.array([0, 2, 1])[number]  # 0 | 2 | 1
    figure = plot_boundaries({"a": number * 0}, [[0, 1]], [0], EDGES, optimal=number)
    found = contours(figure.axes[0], "optimal")
    assert sorted(round(float(v[:, 0].mean()), 3) for v in found) == [0.025, 2.025]
    assert contours(figure.axes[0], "decided") == []


@pytest.mark.filterwarnings("error")
def test_optimal_posterior_without_a_boundary_draws_nothing():
    x, _ = grid()
    figure = plot_boundaries({"a": (x > 0).astype(int)}, [[0, 1]], [0], EDGES, optimal=np.full(x.shape, 0.7))
    assert contours(figure.axes[0], "optimal") == []


def test_rows_have_the_colours_of_their_classes():
    x, _ = grid()
    rows, label = np.array([[0, 1.5], [1, 0.5], [2, 1.0]]), [2, 0, 1]
    figure = plot_boundaries({"a": (x > 0).astype(int)}, rows, label, EDGES)
    (points,) = [c for c in figure.axes[0].collections if not hasattr(c, "levels")]
    np.testing.assert_array_equal(points.get_offsets(), rows)
    shown = [to_hex(c).upper() for c in points.get_facecolors()]
    assert shown == [METHOD_COLORS[k] for k in label]
    assert [t.get_text() for t in figure.legends[0].get_texts()] == ["class 0", "class 1", "class 2"]


# ---------- spheres


def unit(rows):
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def uniform(n, seed=0):
    return unit(np.random.default_rng(seed).standard_normal((n, 3)))


def polar(n, seed=0):
    """Points of uniform angles: concentrated at the poles."""
    a, b = np.random.default_rng(seed).uniform(0, 2 * np.pi, (2, n))
    return np.stack([np.cos(a) * np.cos(b), np.sin(a) * np.cos(b), np.sin(b)], axis=1)


def darkness(axis):
    (points,) = axis.collections
    return 3 - points.get_facecolors()[:, :3].sum(axis=1)


def test_sums_of_distances_do_not_depend_on_blocks(monkeypatch):
    rows = uniform(57)
    expected = cdist(rows, rows).sum(axis=1)
    np.testing.assert_allclose(_distance_sums(rows), expected)
    monkeypatch.setattr("rotastack.plots.sphere._BLOCK", 57 * 10)  # blocks of 10 rows and a rest of 7
    np.testing.assert_allclose(_distance_sums(rows), expected)


def test_ten_thousand_points_need_less_than_100_megabytes():
    rows = uniform(10_000)
    tracemalloc.start()
    plot_spheres({"uniform": rows})
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 100e6


def test_only_the_front_is_drawn():
    rows = uniform(500)
    figure = plot_spheres({"uniform": rows, "polar": polar(300)})
    assert titles(figure)[:2] == ["uniform", "polar"]
    offsets = figure.axes[0].collections[0].get_offsets()
    front = rows @ _FRONT > 0
    assert len(offsets) == front.sum()
    # Across, up and towards the viewer are orthonormal: nothing is lost or stretched.
    np.testing.assert_allclose((offsets**2).sum(axis=1) + (rows[front] @ _FRONT) ** 2, 1)
    pole = plot_spheres({"pole": np.eye(3)}).axes[0].collections[0].get_offsets()
    assert len(pole) == 3
    np.testing.assert_allclose(pole[2], [0, np.sqrt(1 - _FRONT[2] ** 2)], atol=1e-12)  # +z is upwards
    assert pole[2, 1] > 0.7


def test_concentrated_points_are_darker():
    rows = polar(1000)
    for by in ("rank", "distance"):
        axis = plot_spheres({"polar": rows}, by=by).axes[0]
        height = np.abs(rows[rows @ _FRONT > 0][:, 2])
        dark = darkness(axis)
        assert dark[height > 0.9].min() > dark[height < 0.3].max()


def test_ranks_use_the_whole_scale_and_distances_show_uniform_points_evenly():
    panels = {"uniform": uniform(2000), "polar": polar(2000)}
    by_rank = [np.ptp(darkness(axis)) for axis in plot_spheres(panels).axes[:2]]
    by_distance = [np.ptp(darkness(axis)) for axis in plot_spheres(panels, by="distance").axes[:2]]
    assert min(by_rank) > 0.8 * max(by_rank)
    assert by_distance[0] < 0.5 * by_distance[1]


@pytest.mark.parametrize(
    ("rows", "by", "message"),
    [
        (np.ones((4, 3)), "rank", "panel 'a': expected unit vectors"),
        (np.eye(2), "rank", "panel 'a': expected unit vectors"),
        (np.eye(3), "color", "by must be 'rank' or 'distance'"),
    ],
)
def test_mistakes_in_spheres_are_named(rows, by, message):
    with pytest.raises(ValueError, match=message):
        plot_spheres({"a": rows}, by=by)


# ---------- rotated rows


def turn(angle):
    return np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])


def test_rotated_panels_follow_complexity():
    rng = np.random.default_rng(0)
    X, y = rng.random((30, 2)), rng.integers(0, 2, 30)
    rotations = np.array([turn(a) for a in rng.uniform(0, 6, 50)])
    complexity = rng.permutation(50) * 2 + 1
    figure = plot_rotated(X, y, rotations, complexity, n_best=12, n_worst=5)
    expected = [*range(1, 25, 2), *range(91, 101, 2)]
    assert corners(figure) == [str(c) for c in expected]
    for axis, c in zip(figure.axes, expected, strict=True):
        rotated = X @ rotations[list(complexity).index(c)]
        offsets = axis.collections[0].get_offsets()
        np.testing.assert_allclose(offsets, rotated)
        assert (np.ptp(axis.get_xlim()), np.ptp(axis.get_ylim())) == pytest.approx(
            [np.ptp(figure.axes[0].get_xlim())] * 2
        )
        low, high = np.array([axis.get_xlim(), axis.get_ylim()]).T
        assert (offsets > low).all()
        assert (offsets < high).all()
    names = [part.get_suptitle() for part in figure.subfigs]
    assert names == ["12 least complex", "5 most complex"]


def test_defaults_draw_twenty_and_twenty():
    X = np.random.default_rng(0).random((5, 2))
    figure = plot_rotated(X, np.zeros(5), [np.eye(2)] * 60, np.arange(60.0)[::-1])
    assert corners(figure) == [str(c) for c in [*range(20), *range(40, 60)]]


def test_no_rotation_is_drawn_twice():
    X, rotations = np.random.default_rng(0).random((5, 2)), [turn(a) for a in range(5)]
    assert corners(plot_rotated(X, [0] * 5, rotations, [5, 4, 3, 2, 1], 3, 4)) == list("12345")
    assert corners(plot_rotated(X, [0] * 5, rotations, [5, 4, 3, 2, 1], 9, 9)) == list("12345")
    assert corners(plot_rotated(X, [0] * 5, rotations, [5, 4, 3, 2, 1], 2, 0)) == list("12")
    with pytest.raises(ValueError, match="5 rotations but 4 complexities"):
        plot_rotated(X, [0] * 5, rotations, [1, 2, 3, 4])


# ---------- projections


def test_projections_have_all_planes_of_every_entry():
    rng = np.random.default_rng(0)
    four, seven = rng.standard_normal((20, 4)), rng.standard_normal((25, 7))
    figure = plot_projections([("simple", four, rng.integers(0, 3, 20)), ("complex", seven, np.arange(25))])
    planes = [(1, 2), (1, 3), (1, 4), (2, 3), (2, 4), (3, 4)]
    assert corners(figure)[:6] == [f"{a}, {b}" for a, b in planes]
    assert len(figure.axes) == 6 + 10  # 7 coordinates: the first 5
    assert corners(figure)[-1] == "4, 5"
    for axis, (a, b) in zip(figure.axes[:6], planes, strict=True):
        np.testing.assert_array_equal(axis.collections[0].get_offsets(), four[:, [a - 1, b - 1]])
        assert np.ptp(axis.get_xlim()) == pytest.approx(np.ptp(axis.get_ylim()))
    assert [axis.get_ylabel() for axis in figure.axes] == ["simple", *[""] * 5, "complex", *[""] * 9]
    lines = [axis.get_subplotspec().rowspan.start for axis in figure.axes]
    assert lines == [0] * 6 + [1] * 10


def test_projections_need_two_coordinates():
    for rows in ([], [("a", np.ones((3, 1)), [0, 0, 1])]):
        with pytest.raises(ValueError, match="at least two coordinates"):
            plot_projections(rows)


# ---------- weights


def test_weights_are_drawn_from_rank_one():
    weights = {"steep": [0.7, 0.2, 0.1], "flat": [0.25] * 4}
    (axis,) = plot_weights(weights).axes
    for line, (label, values) in zip(axis.lines, weights.items(), strict=True):
        assert line.get_label() == label
        np.testing.assert_array_equal(line.get_xdata(), np.arange(1, len(values) + 1))
        np.testing.assert_array_equal(line.get_ydata(), values)
    assert axis.get_xlim() == (1, 4)
    assert axis.get_ylim()[0] == 0
    assert (axis.get_xlabel(), axis.get_ylabel()) == ("rank", "weight")


def test_ten_weightings_can_be_told_apart():
    (axis,) = plot_weights({str(k): [1.0, k] for k in range(10)}).axes
    assert len({(line.get_color(), line.get_linestyle()) for line in axis.lines}) == 10


# ---------- files


@pytest.mark.parametrize("kind", ["png", "svg"])
def test_equal_figures_give_equal_files(tmp_path, kind):
    x, y = grid()
    rng = np.random.default_rng(0)
    X, label = rng.random((40, 2)), rng.integers(0, 2, 40)
    rotations = [turn(a) for a in range(4)]
    figures = {
        "boundaries": lambda: plot_boundaries({"a": (x > y).astype(int)}, X, label, EDGES, y / 2),
        "projections": lambda: plot_projections([("a", uniform(40), label)]),
        "rotated": lambda: plot_rotated(X, label, rotations, [1, 4, 2, 3], 2, 2),
        "spheres": lambda: plot_spheres({"a": uniform(2500)}),
        "weights": lambda: plot_weights({"a": [0.6, 0.4]}),
    }
    for name, draw in figures.items():
        files = []
        for folder in ("first", "second"):
            (tmp_path / folder).mkdir(exist_ok=True)
            files.append(tmp_path / folder / f"{name}.{kind}")
            save_figure(draw(), files[-1])
        assert files[0].read_bytes() == files[1].read_bytes()
        assert files[0].stat().st_size > 1000
