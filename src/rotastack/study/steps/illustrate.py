"""illustrate: figures of the sources that show how the methods work, on problems drawn anew."""

from pathlib import Path

from matplotlib.figure import Figure

from rotastack.plots.style import save_figure
from rotastack.seeds import child, root_sequence
from rotastack.study.components import illustration_module, load
from rotastack.study.job import Job


def run(job: Job) -> None:
    """Write the figures asked for, as SVG and PNG; `components` knows in which module each is drawn."""
    with job.recorded():
        drawn: dict[str, Figure] = {}
        for path in job.outputs["figures"]:
            name = Path(path).stem
            if name not in drawn:
                draw = load(illustration_module(name)).DRAW[name]
                drawn[name] = draw(child(root_sequence(job.spec["seed"]), "illustrate", name))
            save_figure(drawn[name], path)
