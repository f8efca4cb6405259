import numpy as np
import pytest

from rotastack.data.generators import GENERATORS, generate
from rotastack.errors import RotastackError


@pytest.mark.parametrize(
    ("name", "parameters", "shape", "classes"),
    [
        ("balance_scale", {}, (625, 5), {"B": 49, "L": 288, "R": 288}),
        ("tic_tac_toe", {}, (958, 10), {"negative": 332, "positive": 626}),
        ("three_of_nine", {}, (512, 10), {"False": 274, "True": 238}),
        ("monks", {"problem": 1}, (432, 7), {"0": 216, "1": 216}),
        ("monks", {"problem": 2}, (432, 7), {"0": 290, "1": 142}),
        ("monks", {"problem": 3}, (432, 7), {"0": 204, "1": 228}),
    ],
)
def test_enumerated_sets_have_the_published_counts(name, parameters, shape, classes):
    table = generate(name, **parameters)
    assert table.shape == shape
    assert not table.drop(columns="target").duplicated().any()
    assert table["target"].value_counts().to_dict() == classes


def test_waveform_means_are_mixtures_of_two_waves():
    table = generate("waveform", rows=30000, seed=0, noise_columns=19)
    assert table.shape == (30000, 41)
    X, y = table.drop(columns="target").to_numpy(), table["target"].to_numpy()
    h1, h2, h3 = (np.maximum(6 - np.abs(np.arange(1, 22) - c), 0) for c in (7, 15, 11))
    for label, wave in {"0": (h1 + h2) / 2, "1": (h1 + h3) / 2, "2": (h2 + h3) / 2}.items():
        np.testing.assert_allclose(X[y == label, :21].mean(axis=0), wave, atol=0.09)
    np.testing.assert_allclose(X[:, 21:].std(axis=0), 1, atol=0.03)


def test_norm_problems_have_the_stated_moments():
    two, ring = (generate(name, rows=20000, seed=0).groupby("target") for name in ("twonorm", "ringnorm"))
    np.testing.assert_allclose(two.mean().loc["0"], 2 / np.sqrt(20), atol=0.05)
    np.testing.assert_allclose(ring.std().loc["0"], 2, atol=0.08)
    np.testing.assert_allclose(ring.mean().loc["1"], 1 / np.sqrt(20), atol=0.05)


def test_led_lights_are_inverted_one_time_in_ten():
    table = generate("led24", rows=20000, seed=0)
    assert table[table["target"] == "8"].iloc[:, :7].to_numpy().mean() == pytest.approx(0.9, abs=0.01)


def test_noisy_square_flips_exactly():
    table = generate("noisy_square", rows=1000, seed=0)
    truth = (table["x1"] + table["x2"] > 1).astype(int).astype(str)
    assert (truth != table["target"]).sum() == 100


@pytest.mark.parametrize(
    "name", [n for n in GENERATORS if n in ("waveform", "twonorm", "ringnorm", "led24", "noisy_square")]
)
def test_same_seed_same_table(name):
    assert generate(name, rows=20, seed=5).equals(generate(name, rows=20, seed=5))
    assert not generate(name, rows=20, seed=5).equals(generate(name, rows=20, seed=6))


@pytest.mark.parametrize(
    ("name", "parameters", "message"),
    [
        ("waveforms", {}, "generator 'waveforms' is unknown; did you mean 'waveform'"),
        ("waveform", {"row": 3}, "generator 'waveform'"),
        ("monks", {"problem": 4}, "problem must be 1, 2 or 3"),
        ("friedman", {"problem": 4, "rows": 5, "seed": 1, "noise": 0.0}, "problem must be 1, 2 or 3, got 4"),
    ],
)
def test_mistakes_are_named(name, parameters, message):
    with pytest.raises(RotastackError, match=message):
        generate(name, **parameters)


def test_friedman_without_noise_is_its_formula():
    given = {"rows": 50, "seed": 1, "noise": 0.0}
    one, two, three = (generate("friedman", problem=k, noise_columns=2 * (k == 1), **given) for k in (1, 2, 3))
    x1, x2, x3, x4, x5 = one.to_numpy()[:, :5].T
    expected = 10 * np.sin(np.pi * x1 * x2) + 20 * (x3 - 0.5) ** 2 + 10 * x4 + 5 * x5
    np.testing.assert_allclose(one["target"], expected, atol=1e-4)  # columns are rounded
    assert one.shape[1] == 13
    assert (two.iloc[:, :4].max() <= [100, 560 * np.pi, 1, 11]).all()
    x1, x2, x3, x4, _ = two.to_numpy().T
    reactance = x2 * x3 - 1 / (x2 * x4)
    np.testing.assert_allclose(two["target"], np.sqrt(x1**2 + reactance**2), rtol=1e-4)
    np.testing.assert_allclose(three["target"], np.arctan(reactance / x1), atol=1e-4)
