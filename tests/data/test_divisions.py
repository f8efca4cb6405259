"""Rows are divided by the values of a column, however these are written."""

import numpy as np
import pandas as pd

from rotastack.data.divisions import division_numbers


def test_blanks_around_text_make_no_group_of_their_own():
    names = [f"P{k // 4}" for k in range(60)]
    blanks = [f"\t {name}" if k % 4 else f"{name} \u00a0" for k, name in enumerate(names)]
    for values in (names, blanks, pd.Categorical(blanks)):
        table = pd.DataFrame({"patient": values})
        for key in ("groups", "series"):
            assert np.unique(division_numbers(table, "patient", key, "t")).tolist() == list(range(15))
        np.testing.assert_array_equal(
            division_numbers(table, "patient", "groups", "t"), np.unique(names, return_inverse=True)[1]
        )
