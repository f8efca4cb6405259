"""Do random things to a small study, run it after each, and compare what stands at the end with a run from scratch.

    python tests/workflow/sequences.py --sequences 500 --seed 0

prints a line for each sequence; for a failure also its actions and the first difference. The same seed draws the same
actions, and each draws by its own number, so `--keep 0,3` repeats a sequence with these actions alone. Only the moments
of kills differ between repeats.
"""

import argparse
import random
import shutil
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [p for p in (str(ROOT), str(ROOT / "src")) if p not in sys.path]

from tests.workflow import forked  # noqa: E402
from tests.workflow.outcomes import difference, texts_of, tracked_texts  # noqa: E402

OFTEN_WHOLE = 0.3
"""Share of sequences whose runs also make the report and log to MLflow."""


class DiffersError(Exception):
    """A difference of some kind from what a run from scratch leaves."""

    def __init__(self, kind: str, text: str):
        super().__init__(f"{kind}: {text}")
        self.kind = kind


@dataclass
class Driver:
    """Runs sequences below a folder, and keeps the results of runs from scratch."""

    place: Path
    only: str | None = None
    """The only kind of action, with edits between."""
    known: dict[tuple[str, bool], dict[str, str] | str] = field(default_factory=dict)

    def sequence(self, seed: int, length: int | None = None, keep: list[int] | None = None) -> list[str]:
        """Do a sequence; return its actions in words, and raise DiffersError, with these as notes."""
        from tests.workflow.actions import ACTIONS, WEIGHTS, World
        from tests.workflow.small import STUDIES, Inputs

        draw = random.Random(seed)
        kind, whole = draw.choice(list(STUDIES)), draw.random() < OFTEN_WHOLE
        names = draw.choices(list(ACTIONS), WEIGHTS, k=length or draw.randint(3, 7))
        if self.only:
            names = [self.only if k % 2 or len(names) == 1 else "edit" for k in range(len(names))]
        chosen = range(len(names)) if keep is None else [k for k in keep if k < len(names)]
        inputs = Inputs.of(kind)
        did = [f"a {'whole ' * whole}{kind} study"]
        try:
            world = World(self._begun(inputs, whole), inputs)
            for k in chosen:
                self._step(world, names[k], random.Random(f"{seed}/{k}"), k, did, k == chosen[-1])
        except DiffersError as error:
            error.add_note("\n".join(did))
            raise
        return did

    def _step(self, world, name, draw, number, did, is_last) -> None:
        """Do an action, run the study, and compare."""
        from copy import deepcopy

        from tests.workflow.actions import ACTIONS, IDLE

        world.history.append(deepcopy(world.inputs))
        before = world.folder.records()
        did.append(f"{number} {name}")
        did[-1] += f": {ACTIONS[name](world, draw)}"
        if code := world.folder.run():
            said = world.folder.said.strip().splitlines()
            if not isinstance(self._scratch(world), str):
                raise DiffersError("exit", f"{code}, from scratch 0: {' | '.join(said[-3:])[-600:]}")
            did[-1] += " - not allowed, taken back"
            world.inputs = world.history.pop()
            world.folder.write(world.inputs)
            if code := world.folder.run():
                raise DiffersError("exit", f"{code} after the study was put right: {' | '.join(said[-3:])[-600:]}")
        elif name in IDLE and (after := world.folder.records()) != before:
            again = sorted(n for n in after if after[n] != before.get(n))
            raise DiffersError("rerun", f"nothing has changed, and jobs ran: {', '.join(again)}")
        if is_last or (world.inputs.digest, world.folder.whole) in self.known:
            self.compare(world)

    def compare(self, world) -> None:
        """Raise DiffersError unless the results are those from scratch, and a dry run has nothing to do."""
        scratch = self._scratch(world)
        if isinstance(scratch, str):
            raise DiffersError("exit", f"0, from scratch: {scratch}")
        if found := difference(self._texts(world), scratch):
            raise DiffersError(*found)
        if not (jobs := world.folder.jobs()).startswith(("none", "0:")):
            raise DiffersError("todo", jobs)

    def _begun(self, inputs, whole):
        """Return the folder of a study that was run: a copy, with all times, at the place of the run."""
        from tests.workflow.small import Folder

        folder = Folder(self.place / "project", whole)
        kept = self.place / f"begun-{inputs.digest}-{whole}"
        for path in (folder.path, *self.place.glob("copy-*")):
            shutil.rmtree(path, ignore_errors=True)
        if not kept.exists():
            folder.path.mkdir()
            folder.write(inputs)
            if folder.run():
                raise DiffersError("exit", f"the first run: {folder.said[-600:]}")
            folder.path.rename(kept)
        shutil.copytree(kept, folder.path)
        return folder

    def _scratch(self, world):
        """Return the texts of a run of the inputs in a fresh folder; if it fails, what it said."""
        from tests.workflow.actions import World
        from tests.workflow.small import Folder

        key = world.inputs.digest, world.folder.whole
        if key not in self.known:
            fresh = World(Folder(self.place / "scratch", world.folder.whole), world.inputs)
            shutil.rmtree(fresh.folder.path, ignore_errors=True)
            fresh.folder.path.mkdir()
            fresh.folder.write(world.inputs)
            self.known[key] = fresh.folder.said[-600:] or "failed" if fresh.folder.run() else self._texts(fresh)
        return self.known[key]

    @staticmethod
    def _texts(world) -> dict[str, str]:
        """Return the results of a folder as texts, with the predictions of the models that the study asks for."""
        folder, study = world.folder, world.inputs.study
        texts = texts_of(folder.path, "s")
        names = [d if isinstance(d, str) else d["name"] for d in study["datasets"]]
        if study["model"]["refit"] != "none":
            texts |= {f"predictions {name}": folder.predictions(name) for name in names}
        return texts | (tracked_texts(folder.path, "s") if folder.whole else {})


def main() -> int:
    """Do sequences; return 1 if any failed."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--sequences", type=int, default=1, help="number of sequences")
    parser.add_argument("--seed", type=int, default=0, help="seed of the first; the others have the next numbers")
    parser.add_argument("--length", type=int, help="actions in a sequence (default: 3 to 7)")
    parser.add_argument("--only", metavar="KIND", help="every second action is of this kind, the others are edits")
    parser.add_argument("--keep", metavar="NUMBERS", help="do only these actions of the sequence")
    options = parser.parse_args()
    forked.import_libraries()
    keep = None if options.keep is None else [*map(int, options.keep.split(","))]
    kinds: Counter[str] = Counter()
    with tempfile.TemporaryDirectory(prefix="sequences-") as place:
        driver = Driver(Path(place), options.only)
        for seed in range(options.seed, options.seed + options.sequences):
            began = time.monotonic()
            try:
                did = driver.sequence(seed, options.length, keep)
                kinds["ok"] += 1
                print(f"{seed} ok ({time.monotonic() - began:.0f} s): {did[0]}, {len(did) - 1} actions", flush=True)
            except DiffersError as error:
                kinds[error.kind] += 1
                print(f"{seed} FAILED ({time.monotonic() - began:.0f} s): {error}", flush=True)
                print("    " + "\n    ".join("\n".join(error.__notes__).splitlines()), flush=True)
    print(", ".join(f"{n} {kind}" for kind, n in kinds.most_common()))
    return int(set(kinds) != {"ok"})


if __name__ == "__main__":
    sys.exit(main())
