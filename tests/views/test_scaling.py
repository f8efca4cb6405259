import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from rotastack.views import MinMaxScaler01, QuantileScaler, RelativeRankScaler
from rotastack.views.scaling import SCALERS

ALL = [MinMaxScaler01, QuantileScaler, RelativeRankScaler]


def column(*values):
    return np.array(values, dtype=float).reshape(-1, 1)


@pytest.mark.parametrize(("name", "expected"), [("minmax", [0, 0, 0.5, 1, 1]), ("symmetric", [-1, -1, 0, 1, 1])])
def test_minmax_clips_outside_training_range(name, expected):
    scaler = SCALERS[name]().fit(column(2, 6))
    assert scaler.transform(column(0, 2, 4, 6, 9)).ravel().tolist() == expected


def test_a_range_of_no_width():
    with pytest.raises(ValueError, match="feature_range"):
        MinMaxScaler01((1, 1)).fit(column(0, 2))


@pytest.mark.parametrize("scaler", ALL)
def test_missing_values_become_the_training_median(scaler):
    X = column(1, 2, 3, np.nan, 4, 10)
    fitted = scaler().fit(X)
    assert fitted.median_.item() == 3
    assert fitted.transform(column(np.nan)).item() == fitted.transform(column(3)).item()


@pytest.mark.parametrize("scaler", [MinMaxScaler01, QuantileScaler])
def test_constant_and_all_missing_columns_become_zero(scaler):
    X = np.c_[np.full(5, 7.0), np.full(5, np.nan)]
    assert (scaler().fit(X).transform(X) == 0).all()


def test_quantile_scaler_by_hand():
    X = np.arange(101.0).reshape(-1, 1)
    fitted = QuantileScaler().fit(X)
    d = 10.0
    soft = 0.01 * np.log(1 + np.log(1 + d))
    np.testing.assert_allclose(fitted.transform(column(5 - d, 95 + d, 50)).ravel(), [-soft, 1 + soft, 0.5])


def test_quantile_scaler_falls_back_to_minmax():
    X = column(*[0] * 99, 5)  # both quantiles are 0
    assert QuantileScaler().fit(X).transform(column(2.5)).item() == 0.5


def test_rank_scaler_by_hand():
    fitted = RelativeRankScaler().fit(column(10, 20, 20, 40))  # ranks 1, 2.5, 2.5, 4 of 0..5
    got = fitted.transform(column(10, 20, 30, 5, 50)).ravel()
    np.testing.assert_allclose(got, [0.2, 0.5, (0.5 + 0.8) / 2, 0.1, 0.9])


@pytest.mark.parametrize("scaler", ALL)
@given(train=arrays(float, st.integers(2, 30), elements=st.floats(-1e6, 1e6, width=32)))
def test_order_is_kept_and_range_is_bounded(scaler, train):
    fitted = scaler().fit(train.reshape(-1, 1))
    got = fitted.transform(np.linspace(-2e6, 2e6, 41).reshape(-1, 1)).ravel()
    assert (np.diff(got) >= -1e-12).all()
    assert got.min() >= -0.05
    assert got.max() <= 1.05
