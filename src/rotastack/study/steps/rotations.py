"""rotations: draw one rotation group."""

import xarray as xr

from rotastack.resampling.rotations import draw_group
from rotastack.seeds import child, root_sequence
from rotastack.study.artifacts import read_frame, write_arrays
from rotastack.study.job import Job


def run(job: Job) -> None:
    """Read input ``table``, write output ``rotations``.

    Rotation k of group g is seeded by ("rotations", dataset, g, k); number 0 is the identity.
    """
    spec = job.spec
    with job.recorded() as record:
        _, about = read_frame(job.input("table"))
        p = about["categorical"].count(False)
        sequence = child(root_sequence(spec["seed"]), "rotations", spec["dataset"], spec["group"])
        axes, blocks = draw_group(
            p, spec["rotations"], sequence, flip=spec["flip"], max_axes=spec["max_axes"]
        )
        arrays = xr.Dataset(
            {"block": (("rotation", "axis", "component"), blocks), "axes": (("rotation", "axis"), axes)},
            attrs={"n_features": p},
        )
        write_arrays(job.output("rotations"), arrays)
        record.metrics = {"numeric_columns": p, "rotated_axes": axes.shape[1]}
