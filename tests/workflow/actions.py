"""What may happen to a project folder between two runs: edits, failures, kills, deletions, copies and touches.

An action gets the world (the folder, the inputs and their history) and a source of random numbers, and returns what it
did in words. The driver runs the study after each. Actions in IDLE leave nothing to do.
"""

import copy
import os
import random
import re
import shutil
import signal
import time
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from tests.workflow.small import METHODS, OWN, PRUNED, PUB, ROTATED, STACKED, VOTE, Folder, Inputs

from rotastack.errors import RotastackError
from rotastack.workflow.study.study import Study

GONE = "(gone)"
VALUES: dict[str, list[Any]] = {
    "seed": [1, 2, 3],
    "title": [GONE, "One", "Two"],
    "description": [GONE, "Why"],
    "missing": [GONE, "stop", "skip"],
    "sizes": [GONE, {"small": {"seed": 9}}],
    "trusted": [["mine"], ["mine", "decimal"]],
    "datasets.0": [
        OWN | more
        for more in (
            {},
            {"title": "Own"},
            {"kinds": {"categorical": ["c", "g"]}},
            {"kinds": {"id": ["t"], "others": "auto"}},
            {"kinds": {"categorical": ["c"], "id": ["g"]}},
            {"encoding": "onehot"},
            {"noise_columns": 2},
            {"smallest_class": 3},
            {"roughly": {"rows": 50, "columns": 7}},
            {"note": "of us"},
        )
    ],
    "protocol.repeats": [2, 3],
    "protocol.train": [0.6, 0.7, 25],
    "protocol.test": [GONE, 10],
    "protocol.groups": [GONE, "g"],
    "protocol.time": [GONE, "t"],
    "protocol.copies_together": [GONE, True],
    "protocol.rotations": [2, 3],
    "protocol.rotation_groups": [1, 2],
    "protocol.fold_groups": [1, 2],
    "protocol.folds": [3, 4],
    "protocol.weka_seed": [GONE, 1],
    "protocol.splits": [GONE, 1],
    "protocol": [
        {"kind": "holdout", "repeats": 2},
        {"kind": "crossval", "folds": 3},
        {"kind": "given", "columns": ["s"]},
    ],
    "blocks": [GONE, {"splits": 1}, {"splits": 2}, {"fold_groups": 1}, {"rotation_groups": 2}],
    "pools.forest.parameters": [{"n_estimators": n} for n in (2, 3, 5)] + [{"n_estimators": 3, "max_depth": 2}],
    "pools.forest.scaling": [GONE, "rank", None],
    "pools.forest.diversity": [GONE, True],
    "pools.forest.training_error": [GONE, True],
    "pools.forest.repeats": [GONE, {"own": 1}],
    "pools.forest.noise": [GONE, {"labels": 0.2}],
    "pools.bayes.scaling": [GONE, "quantile", "symmetric"],
    "pools.bayes.training_limit": [GONE, 60],
    "pools.bayes.view": [GONE, "rotation", "RandomSubspace", "projection"],
    "pools.bayes.estimator": ["naive_bayes", "sklearn.tree.DecisionTreeClassifier", "forest"],
    "pools.mine.parameters": [{"power": 1}, {"power": 2}],
    "pools.mine.estimator": ["mine.Mine", "naive_bayes"],
    "pools.mixed": [GONE, {"of": ["bayes", "mine"]}, {"of": ["forest", "mine"]}],
    "pools.sized": [GONE, {"estimator": "forest", "parameters": {"n_estimators": 4}, "ensemble_sizes": [2, 4]}],
    "pools.rotated": [GONE, ROTATED],
    "methods.Mixed": [GONE, {"pool": "mixed", "combiner": VOTE}],
    "methods.Sized": [GONE, *({"pool": "sized", "combiner": {"kind": "member", "member": n}} for n in "24")],
    "methods.Rotated": [
        GONE,
        {"pool": "rotated", "combiner": VOTE},
        {"pool": "rotated", "combiner": {"kind": "weights", "weighting": "best"}},
    ],
    "methods.Stacked": [GONE, STACKED, {"pool": "rotated", "combiner": {"kind": "log_linear", "ridge": 1.0}}],
    "methods.Pruned": [
        GONE,
        PRUNED,
        *(
            {"pool": "forest", "combiner": {"kind": "prune", "pruner": "none", "selection": s}}
            for s in ("train", "test")
        ),
    ],
    "methods.RF": [GONE, METHODS["RF"]],
    "methods.Mine": [GONE, METHODS["Mine"]],
    "methods.NB.pool": ["bayes", "mine", "forest"],
    "methods.RF.combiner": [
        VOTE,
        {"kind": "vote", "voting": "hard"},
        {"kind": "other", "class": "rotastack.combine.voting.Voting"},
    ],
    "evaluation.alpha": [0.05, 0.1],
    "evaluation.score": [GONE, "brier", "roc_auc", "log_loss"],
    "evaluation.average": ["mean", "median"],
    "evaluation.control": [GONE, "NB", "Mine"],
    "evaluation.pairs": [GONE, [["RF", "NB"]], [["Mine", "NB"], ["RF", "Mine"]]],
    "evaluation.shown": [GONE, ["NB"]],
    "evaluation.groups": [
        GONE,
        {"G": {"title": "G", "methods": {"a": "RF", "b": "NB"}}},
        {"H": {"methods": {"a": "NB", "b": "Mine"}}},
    ],
    "evaluation.left_out": [GONE, {"pub": "small"}, {"iris": "easy"}],
    "evaluation.claims": [GONE, [{"what": "error", "of": "RF", "than": "NB", "expect": "lower"}]],
    "evaluation.sweeps": [GONE, [{"title": "T", "axis": "a", "values": [1, 2], "lines": {"l": ["RF", "NB"]}}]],
    "model.refit": ["none", "best", "RF", "NB", "Mine"],
    "model.threshold": [GONE, 0.3],
    "model.explain": [GONE, True],
}
"""Place of a key -> its values; a value that does not fit the rest of the study is drawn again."""
RULES = ("table", "groups", "train", "vote", "combine", "score", "summarize")
TIMES = ("now", "now", "older", "ahead", "same")


@dataclass
class World:
    """A folder with its inputs, and the inputs of earlier runs."""

    folder: Folder
    inputs: Inputs
    history: list[Inputs] = field(default_factory=list)
    copies: int = 0


def fits(study: dict) -> bool:
    """Return whether a study is allowed, and whether its data sets have the columns that it names."""
    protocol, named = study["protocol"], [d if isinstance(d, str) else d["name"] for d in study["datasets"]]
    if "iris" in named and (
        protocol["kind"] == "given" or {"groups", "time"} & protocol.keys() or "threshold" in study["model"]
    ):
        return False
    try:
        Study.from_mapping(copy.deepcopy(study), "study")
    except RotastackError:
        return False
    return True


# Edits


def edit(world: World, draw: random.Random) -> str:
    """Change one key of the study."""
    while True:
        study = copy.deepcopy(world.inputs.study)
        did = draw.choice((_key, _key, _key, _key, _datasets, _names))(study, draw)
        study = {key: value for key, value in study.items() if value or key != "evaluation"}
        if study != world.inputs.study and fits(study):
            world.inputs.study = study
            world.folder.write(world.inputs)
            return f"study: {did}"


def _key(study: dict, draw: random.Random) -> str:
    place = draw.choice(list(VALUES))
    *parents, key = place.split(".")
    at, value = study, copy.deepcopy(draw.choice(VALUES[place]))
    for parent in parents:
        at = at.get(parent, {}) if parent != "evaluation" else at.setdefault(parent, {})
    if isinstance(at, list):
        at[int(key)] = value
    elif value == GONE:
        at.pop(key, None)
    else:
        at[key] = value
    if value != GONE and parents == ["methods"]:  # with the pool that it needs
        missing = {name: VALUES[f"pools.{name}"][1] for name in ("mixed", "sized", "rotated")}
        study["pools"] = {n: p for n, p in missing.items() if n == value["pool"]} | study["pools"]
    return f"{place} = {value}"


def _datasets(study: dict, draw: random.Random) -> str:
    entry = draw.choice(("iris", "wine", PUB, OWN))
    name = entry if isinstance(entry, str) else entry["name"]
    kept = [d for d in study["datasets"] if (d if isinstance(d, str) else d["name"]) != name]
    is_new = len(kept) == len(study["datasets"])
    if is_new and len(kept) > 1:
        draw.shuffle(kept)
        study["datasets"] = kept
        return "the data sets in another order"
    study["datasets"] = [*kept, copy.deepcopy(entry)] if is_new else kept
    return f"data set {name} is {'added' if is_new else 'left out'}"


def _names(study: dict, draw: random.Random) -> str:
    """Rename a method or a pool, or change the order of methods."""
    import json

    labels, pools = list(study["methods"]), list(study["pools"])
    choice, old, pool = draw.randrange(3), draw.choice(labels), draw.choice(pools)
    if choice == 0:
        draw.shuffle(labels)
        study["methods"] = {label: study["methods"][label] for label in labels}
        return f"methods in the order {', '.join(labels)}"
    before, after = (old, f"{old}/2") if choice == 1 else (pool, f"{pool}_2")
    text = re.sub(rf'"{re.escape(before)}"', f'"{after}"', json.dumps(study))
    if choice == 2 and before in ("forest", "mine"):  # also the name of an estimator
        text = text.replace(f'"estimator": "{after}"', f'"estimator": "{before}"')
    study.clear()
    study.update(json.loads(text))
    return f"{before} is renamed {after}"


def edit_table(world: World, draw: random.Random) -> str:
    """Change a row of the own table or of the mirror's, drop it, or repeat it."""
    name, when = draw.choice(("own", "own", "pub")), draw.choice(TIMES)
    lines = getattr(world.inputs, name).splitlines()
    row, did = draw.randrange(1, len(lines)), draw.choice(("changed", "changed", "relabelled", "dropped", "repeated"))
    cells = lines[row].split(",")
    if did == "changed":
        cells[0] = f"{draw.gauss(0, 2):.3f}"
    cells[-1] = {"a": "b", "b": "a"}[cells[-1]] if did == "relabelled" else cells[-1]
    lines[row : row + 1] = [] if did == "dropped" else [",".join(cells)] * (1 + (did == "repeated"))
    setattr(world.inputs, name, "\n".join(lines) + "\n")
    world.folder.write(world.inputs, when)
    return f"table {name}: row {row} {did} (time of the file: {when})"


def edit_module(world: World, draw: random.Random) -> str:
    """Change a number in the own module."""
    known = float(re.search(r"SHARPNESS = (.*)", world.inputs.mine)[1])
    when, sharpness = draw.choice(TIMES), draw.choice([s for s in (0.5, 1.0, 2.0, 3.0) if s != known])
    world.inputs.mine = re.sub(r"SHARPNESS = .*", f"SHARPNESS = {sharpness}", world.inputs.mine)
    world.folder.write(world.inputs, when)
    return f"mine.py: SHARPNESS = {sharpness} (time of the file: {when})"


def back(world: World, draw: random.Random) -> str:
    """Take all edits since an earlier run back."""
    k = draw.randrange(len(world.history))
    world.inputs = copy.deepcopy(world.history[k])
    when = draw.choice(TIMES)
    return f"the inputs of run {k} again (times: {when}): {world.folder.write(world.inputs, when)}"


EDITS = {"edit": edit, "table": edit_table, "module": edit_module, "back": back}


def any_edit(world: World, draw: random.Random) -> str:
    """Do some edit."""
    return EDITS[draw.choices(list(EDITS), (4, 2, 2, 1))[0]](world, draw)


# Runs that do not end well, and runs of something else


def fail(world: World, draw: random.Random) -> str:
    """Let the trainings of the own class run out of memory."""
    did = draw.choice((edit_table, edit_module, any_edit))(world, draw)
    (world.folder.path / "flag").touch()
    code = world.folder.run()
    (world.folder.path / "flag").unlink()
    return f"{did}; then a run without memory for Mine (exit {code})"


def stop(world: World, draw: random.Random) -> str:
    """Kill or interrupt a run."""
    did, seconds = any_edit(world, draw), round(draw.uniform(0.2, 5.0 if world.folder.whole else 2.5), 2)
    number = draw.choice((signal.SIGKILL, signal.SIGKILL, signal.SIGINT, signal.SIGTERM))
    code = world.folder.end(world.folder.begin(seconds), number)
    return f"{did}; then a run that gets {number.name} after {seconds} s (exit {code})"


def until(world: World, draw: random.Random) -> str:
    """Run up to a rule."""
    did, rule = any_edit(world, draw), draw.choice(RULES)
    return f"{did}; then a run --until {rule} (exit {world.folder.run('study.yaml', '--until', rule)})"


def during(world: World, draw: random.Random) -> str:
    """Edit an input while a run goes on, and perhaps take the edit back after the run."""
    did, before, seconds = any_edit(world, draw), copy.deepcopy(world.inputs), round(draw.uniform(0.2, 1.5), 2)
    process = world.folder.begin(seconds)
    then = draw.choice((edit_table, edit_module, edit_module, edit))(world, draw)
    code, taken = world.folder.end(process), draw.random() < 0.6
    if taken:
        world.inputs = before
        world.folder.write(before)
    return f"{did}; then after {seconds} s of a run {then}{', taken back' * taken} (exit {code})"


# Deletions, copies and touches


def delete(world: World, draw: random.Random) -> str:
    """Delete some results, perhaps after an edit and a partial run."""
    did = f"{until(world, draw)}; " if draw.random() < 0.3 else ""
    root = world.folder.path
    files = sorted(p for name in ("results/s", "data/raw") for p in (root / name).rglob("*") if p.is_file())
    records = [p for p in files if p.name.endswith(".run.json")]
    chosen = draw.choice(
        ([".snakemake"], ["mlflow"], ["receipt"], [draw.choice(records)], draw.sample(files, min(3, len(files))))
    )
    if chosen == [".snakemake"]:
        shutil.rmtree(root / ".snakemake")
    elif chosen in (["mlflow"], ["receipt"]):
        for receipt in root.glob("results/*/tracking.json"):
            receipt.unlink()
        if chosen == ["mlflow"]:
            shutil.rmtree(root / "results/mlflow", ignore_errors=True)
    else:
        for path in chosen:
            path.unlink()
    return f"{did}deleted: {', '.join(str(c).removeprefix(f'{root}/') for c in chosen)}"


def move(world: World, draw: random.Random) -> str:
    """Go on in a copy, perhaps after an edit and a partial run."""
    did, with_notes = f"{until(world, draw)}; " if draw.random() < 0.6 else "", draw.random() < 0.7
    world.copies += 1
    before = world.folder
    world.folder = before.copied(before.path.with_name(f"copy-{world.copies}"), with_notes, draw)
    shutil.rmtree(before.path)
    return f"{did}a copy {'with' if with_notes else 'without'} .snakemake"


def ahead(world: World, draw: random.Random) -> str:
    """Put the time of a file a day ahead, then edit something."""
    root = world.folder.path
    files = [p for n in ("results/s", "data/raw") for p in sorted((root / n).rglob("*")) if p.is_file()]
    path = draw.choice([*files, *sorted(root.glob("results/s/*/table.parquet")) * 5])
    os.utime(path, (time.time() + 86400,) * 2)
    return f"{path.relative_to(root)} has a time a day ahead; {any_edit(world, draw)}"


def touch(world: World, draw: random.Random) -> str:
    """Give all files random times."""
    for path in sorted(p for p in world.folder.path.rglob("*") if p.is_file() and ".snakemake" not in p.parts):
        with suppress(FileNotFoundError):
            os.utime(path, (time.time() - draw.uniform(0, 1e6),) * 2)
    return "all files have random times"


def nothing(world: World, draw: random.Random) -> str:
    """Do nothing that counts: an edit that is taken back before the next run, or a comment in the own module."""
    before = copy.deepcopy(world.inputs)
    did = any_edit(world, draw)
    world.inputs = before
    world.folder.write(before, draw.choice(TIMES[:3]))
    return f"{did}; taken back at once"


ACTIONS = {
    **EDITS,
    "fail": fail,
    "stop": stop,
    "until": until,
    "during": during,
    "other": lambda world, _: f"run of other.yaml, of the same table (exit {world.folder.run('other.yaml')})",
    "delete": delete,
    "move": move,
    "ahead": ahead,
    "touch": touch,
    "nothing": nothing,
}
WEIGHTS = (6, 3, 3, 2, 3, 3, 2, 3, 1, 3, 2, 2, 1, 1)
IDLE = ("other", "touch", "nothing")
