"""Scales that a column shows, the line that suggests their order, and the option."""

import numpy as np
import pandas as pd
import pytest

from rotastack.base.preprocessing import TablePreprocessor
from rotastack.data.loading import columns_by_kind
from rotastack.data.scales import scale_of, suggested_orders
from rotastack.errors import RotastackError
from rotastack.workflow.run.own_table import declared_kinds


@pytest.mark.parametrize(
    ("names", "is_scale"),
    [
        (["Never", "Rarely", "Often"], True),
        (["strongly disagree", "disagree", "agree"], True),
        (["<18", "18-24", "25-34", "65+"], True),
        (["under 5", "5 to 9", "10 or more"], True),
        (["S", "M", "L", "XL"], True),
        *((names, False) for names in (["low", "high"], ["red", "green", "blue"], ["1", "2", "3"])),
        *((names, False) for names in (["low", "medium", "green"], ["1-2", "1-3", "x"])),
    ],
)
def test_a_scale_is_found_in_any_order(names, is_scale):
    assert scale_of(sorted(names, reverse=True)) == (names if is_scale else None)


def test_the_suggested_option_makes_the_column_ordered():
    table = pd.DataFrame({"size": np.tile(["high", "low", None, "medium"], 10), "x": np.arange(40) / 7})
    (said,) = suggested_orders(table, TablePreprocessor().fit(table).kinds_)
    assert said.startswith("size looks ordered, and is read as categories: --kind 'size=low<medium<high' makes")
    declared = declared_kinds(["size=low<medium<high"])
    reader = TablePreprocessor(declared).fit(table)
    assert reader.kinds_["size"] == "ordered"
    assert not list(suggested_orders(table, reader.kinds_))
    in_study = columns_by_kind(["size", "x"], {"ordered": declared, "others": "auto"}, "t")
    assert in_study == {"size": ["low", "medium", "high"], "x": "auto"}


@pytest.mark.parametrize("given", ["size=a<a", "size=<b", "=a<b", "size=order"])
def test_a_wrong_kind_is_named(given):
    with pytest.raises(RotastackError, match=r"is not COLUMN=KIND; kinds: .*, or an order: first<next<last"):
        declared_kinds([given])
