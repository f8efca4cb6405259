"""Against scikit-posthocs and statsmodels on random tables; docs/understand/statistics.md tells where libraries differ."""

import numpy as np
import pandas as pd
import pytest

from rotastack.stats import nemenyi, variance_components

posthocs = pytest.importorskip("scikit_posthocs", reason="pip install scikit-posthocs")
multitest = pytest.importorskip("statsmodels.stats.multitest", reason="pip install statsmodels")


def tables():
    """Yield random tables of whole percents, in which ties are exact: every other one has many."""
    for seed in range(6):
        rng = np.random.default_rng(seed)
        n, k = rng.integers(14, 40), rng.integers(3, 8)
        errors = rng.uniform(5, 40, (n, 1)) * rng.uniform(0.7, 1.3, (n, k))
        yield pd.DataFrame(errors.round() if seed % 2 else errors, columns=[f"m{j}" for j in range(k)])


def test_nemenyi():
    for table in tables():
        theirs = posthocs.posthoc_nemenyi_friedman(table)
        np.testing.assert_allclose(nemenyi(table, False), theirs, atol=1e-9)


def test_variance_components_are_those_of_an_analysis_of_variance():
    anova = pytest.importorskip("statsmodels.stats.anova")
    formula = pytest.importorskip("statsmodels.formula.api")
    matrix = np.random.default_rng(0).normal(size=(4, 5)) + np.arange(5)
    long = pd.DataFrame(matrix).rename_axis("fold").reset_index().melt("fold", var_name="rotation")
    found = anova.anova_lm(formula.ols("value ~ C(fold) + C(rotation)", long).fit())
    ours = variance_components(matrix)
    assert [ours.f_rotation_groups, ours.p_rotation_groups, ours.f_fold_groups, ours.p_fold_groups] == pytest.approx(
        found.loc[["C(rotation)", "C(fold)"], ["F", "PR(>F)"]].to_numpy().ravel()
    )
    squares = found["mean_sq"]
    assert ours.residual[0] == pytest.approx(squares["Residual"])
    assert ours.rotation_groups[0] == pytest.approx((squares["C(rotation)"] - squares["Residual"]) / 4)
