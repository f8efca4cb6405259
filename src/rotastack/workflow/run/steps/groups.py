"""groups: draw the fold groups or splits of a data set, or rotation groups."""

import numpy as np
import xarray as xr

from rotastack.data.artifacts import Prepared, read_prepared, write_arrays, write_frame
from rotastack.errors import counted
from rotastack.resampling.rotations import draw_group
from rotastack.seeds import child, root_sequence
from rotastack.workflow.run.folds import draw_folds
from rotastack.workflow.run.job import Job
from rotastack.workflow.study.building import make
from rotastack.workflow.study.names import number_of
from rotastack.workflow.study.specs import FoldGroupsSpec, RotationsSpec, SplitsSpec


def draw_rotations(spec: RotationsSpec, table: Prepared) -> xr.Dataset:
    """Return the rotations of all groups: the ``axes`` that a rotation turns, and its matrix (``block``).

    Rotation k of group g has the seed ("rotations", dataset, g, k); rotation 0 is the identity.
    """
    view, n_features = make(spec.view), table.numeric.shape[1]
    root = child(root_sequence(spec.seed), "rotations", spec.dataset)
    groups = [
        draw_group(n_features, spec.rotations, child(root, number_of(g)), flip=view.flip, max_axes=view.max_axes)
        for g in spec.groups
    ]
    axes, blocks = map(np.concatenate, zip(*groups, strict=True))
    return xr.Dataset(
        {"block": (("rotation", "axis", "component"), blocks), "axes": (("rotation", "axis"), axes)},
        attrs={"n_features": n_features},
    )


def run(job: Job) -> None:
    """Read input ``table``; write output ``folds``, or output ``rotations``, group after group."""
    with job.recorded() as record:
        table = read_prepared(job.input("table"))
        if "rotations" in job.outputs:
            write_arrays(job.output("rotations"), draw_rotations(job.spec(RotationsSpec), table))
            return
        spec = job.spec_of_protocol(FoldGroupsSpec, SplitsSpec)
        write_frame(job.output("folds"), draw_folds(spec, table))
        if isinstance(spec, FoldGroupsSpec):
            record.warnings = [
                f"class {name!r} has {counted(int(count), 'row')}, fewer than the {spec.folds} folds; "
                "training sets without the class give its probability as 0"
                for name, count in zip(table.classes, np.bincount(table.strata), strict=False)
                if count < spec.folds
            ]
