"""combine_holdout: one method's decisions on the test rows of every repeat, from its pool's outputs."""

import numpy as np
import xarray as xr

from rotastack.errors import RotastackError
from rotastack.study.artifacts import read_arrays, read_prepared, write_arrays
from rotastack.study.components import make_combiner
from rotastack.study.job import INFRASTRUCTURE, Job

STAMPS = ("proba", "rows")


def run(job: Job) -> None:
    """Read inputs ``table`` and those below ``pools``, write output ``method``.

    The output has axes (rotation_group, fold_group, row, class): probabilities of the test rows,
    which ``rows`` numbers, and the facts of the members that decide, averaged.
    """
    spec = job.spec
    data = read_prepared(job.input("table"))
    chosen = spec["combiner"].get("member")
    with job.recorded() as record:
        combiner = None if chosen else make_combiner(spec["combiner"])
        parts = []
        for path in job.pool_files("nc"):
            block = read_arrays(path)
            if block.sizes["fold_group"] == 0:
                continue
            if block.attrs["status"] != "ok":
                record.status, record.message = "failed", f"its pool failed: {block.attrs['message']}"
            names = [str(m) for m in block.member.values]
            if chosen is not None and chosen not in names:
                raise RotastackError(
                    f"{spec['method']}: its pool has no member {chosen!r}; there are {', '.join(names)}"
                )
            picked = block if chosen is None else block.sel(member=[chosen])
            outputs = picked["proba"].values[0]
            try:
                proba = (
                    outputs[:, 0]
                    if combiner is None
                    else np.stack([combiner.predict_proba(o) for o in outputs])
                )
            except INFRASTRUCTURE:
                raise
            except Exception as error:  # a model that fails is a result; the study goes on
                record.fail(error)
                proba = np.full((len(outputs), *outputs.shape[2:]), np.nan)
            facts = {
                name: (("rotation_group", "fold_group"), picked[name].mean("member", skipna=False).values)
                for name in picked.data_vars
                if name not in STAMPS
            }
            parts.append(
                xr.Dataset(
                    {
                        "proba": (
                            ("rotation_group", "fold_group", "row", "class"), proba[None].astype(np.float64),
                        ),
                        "rows": (("fold_group", "row"), picked["rows"].values),
                        **facts,
                    },
                    coords={
                        "rotation_group": ["RG-01"], "fold_group": picked.fold_group.values.astype(object), "class": data.classes,
                    },
                )
            )  # fmt: skip
        whole = xr.concat(parts, dim="fold_group", data_vars="minimal")
        if record.status != "ok":
            whole["proba"][:] = np.nan
        whole.attrs = {"status": record.status, "message": record.message, "method": spec["method"]}
        write_arrays(job.output("method"), whole)
        record.metrics = {"cells": int(whole.sizes["fold_group"])}
