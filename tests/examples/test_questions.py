"""What is asked of a fitted forest: the pictures show it."""

import numpy as np


def test_importances_are_those_of_the_columns_that_count(gallery):
    ran = gallery("questions")
    impurity, held_out, out_of_bag, by_class = ran.figures[0].axes
    shade = list(ran.X.columns).index("shade")
    for axis in (held_out, out_of_bag):
        widths = np.array([bar.get_width() for bar in axis.patches])
        assert widths.argmin() == shade
        assert abs(widths[shade]) < 0.025
        assert np.delete(widths, shade).min() > 0.025
    share = out_of_bag.patches[shade].get_width() / sum(bar.get_width() for bar in out_of_bag.patches)
    assert impurity.patches[shade].get_width() > max(0.02, 2 * share), "noise has a share of the decreases"
    assert [len(bars) for bars in by_class.containers] == [4, 4]
    np.testing.assert_allclose(ran.out_of_bag.by_row.mean(axis=1), ran.out_of_bag.importances_mean)


def test_months_keep_customers_and_contracts_by_the_month_lose_them(gallery):
    ran = gallery("questions")
    months, contract = ran.display.pd_results
    assert months.average[0][-1] > 0.3 + months.average[0][0]
    of = dict(zip(contract.grid_values[0], contract.average[0], strict=True))
    assert of["year"] > of["month"] + 0.05


def test_both_curves_of_calibration_are_near_the_diagonal(gallery):
    ran = gallery("questions")
    drawn = [line for line in ran.figures[-1].axes[0].lines if len(line.get_xdata()) == 8]
    assert len(drawn) == 2
    for line in drawn:
        assert np.abs(np.asarray(line.get_xdata()) - line.get_ydata()).mean() < 0.1
