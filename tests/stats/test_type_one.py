"""Tests keep their level where methods are alike; benchmarks/type_one_errors.py has the full simulation."""

import numpy as np
import pandas as pd
import pytest

from rotastack.stats import average_ranks, critical_difference, friedman, wilcoxon_holm


@pytest.mark.slow
@pytest.mark.parametrize("decimals", [2, 15])
def test_equal_methods_are_told_apart_in_one_table_of_twenty(decimals):
    rng = np.random.default_rng(decimals)
    alarms, distance = np.zeros(3), critical_difference(4, 12, 0.05)
    for _ in range(400):
        errors = rng.uniform(0.05, 0.4, (12, 1)) * rng.lognormal(0, 0.1, (12, 4))
        table = pd.DataFrame(errors.round(decimals), columns=list("ABCD"))
        ranks = average_ranks(table, False)
        alarms += [
            friedman(table, False).p < 0.05,
            ranks.max() - ranks.min() > distance,
            wilcoxon_holm(table, None, False)["p_holm"].min() < 0.05,
        ]
    # 99.9 % of shares of 400 tables lie within 0.036 of 0.05.
    assert (alarms / 400 < 0.086).all()
    assert alarms[0] / 400 > 0.014
