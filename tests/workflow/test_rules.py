"""Rules say what their steps say: one shell line from inputs, outputs and params, and the caption of each figure."""

import ast
import json
import shlex
from pathlib import Path

import pytest
from tests.workflow.project import ROOT, Project
from tests.workflow.test_pruning import STUDY as PRUNED
from tests.workflow.test_random_splits import STUDY as SPLITS

from rotastack.run.job import declarations, step_names

pytestmark = pytest.mark.workflow

STEPS = ROOT / "src/rotastack/run/steps"
PROTOCOLS = ROOT / "src/rotastack/study/protocols"
# What a rule waits for, and its step finds in other ways: by name below a folder, or by address.
UNSAID = {
    "fetch": {"own"},
    "combine": {"pool"},
    "explain": {"texts"},
    "track_dataset": {"pools"},
    "published": {"texts"},
    "report": {"texts", "refits"},
}


@pytest.fixture(scope="module")
def jobs(tmp_path_factory):
    """Instances of all rules: of three studies with different protocols."""
    blank = Project.copy(tmp_path_factory.mktemp("rules") / "blank")
    studies = {"tiny": "config/studies/tiny.yaml"}
    for name, text in {"splits": SPLITS, "pruned": PRUNED}.items():
        studies[name] = f"config/studies/{name}.yaml"
        (blank.folder / studies[name]).write_text(text)
    return [job for study in studies.values() for job in blank.jobs(study=study)]


def test_every_step_has_a_rule_and_every_rule_a_step(jobs):
    assert {job.rule for job in jobs} == {*step_names(), "front_page"}


def options(line):
    """Return what stands behind each option of a shell line; of --input and --output, name -> files."""
    words = shlex.split(line.partition(" 2> ")[0])
    assert words[:2] == ["rotastack", "step"]
    found = {"step": words[2], "--input": {}, "--output": {}, "--about": {}}
    groups: list[list[str]] = []
    for word in words[3:]:
        if word.startswith("--"):
            groups.append([word])
        else:
            groups[-1].append(word)
    for option, *values in groups:
        if option in ("--input", "--output"):
            assert values[0] not in found[option]
            found[option][values[0]] = values[1:]
        elif option == "--about":
            found[option] = dict(v.split("=", 1) for v in values)
        else:
            (found[option],) = values
    return found


def test_the_shell_line_names_what_the_rule_has(jobs):
    for job in jobs:
        if job.rule == "front_page":
            continue
        said = options(job.shell)
        declared = declarations(job.rule)
        assert said["step"] == job.rule
        assert json.loads(said["--spec"]) == json.loads(job.params["spec"])
        assert said["--code"] == job.params["code"]
        assert int(said["--threads"]) == job.threads
        folders = {name.rstrip("/") for name in declared["INPUTS"] if name.endswith("/")}
        files = {name: said["--input"][name] for name in said["--input"] if name not in folders}
        assert list(said["--input"]) == [name.rstrip("/") for name in declared["INPUTS"]]
        assert files == {name: list(job.input[name]) for name in files}
        assert set(job.input) - set(files) == UNSAID.get(job.rule, set()), job.rule
        assert {name: said["--input"][name] for name in folders} == {name: [job.params[name]] for name in folders}
        assert said["--output"] == job.output
        assert list(said["--output"]) == list(declared["OUTPUTS"])
        assert set(said["--about"]) == set(declared["ABOUT"])
        for key, value in said["--about"].items():
            assert value == (job.wildcards[0] if key == "dataset" else job.params[key])
        named = {"dataset"} if job.rule in ("fetch", "prepare") else set()  # for the key of a shared cache
        assert set(job.params) == {"spec", "code", *folders, *set(declared["ABOUT"]) - {"dataset"}, *named}
        assert len(job.log) == 1
        assert job.shell.endswith(f" 2> {job.log[0]} || {{ cat {job.log[0]} >&2; exit 1; }}")


class Reader(ast.NodeVisitor):
    """Collects which inputs, outputs and facts of its job a module takes."""

    def __init__(self, path: Path):
        self.inputs: set[str] = set()
        self.outputs: set[str] = set()
        self.about: set[str] = set()
        self.loops: dict[str, list[str]] = {}
        self.visit(ast.parse(path.read_text()))

    def visit(self, node):
        """Go on with the names that a loop over constants stands for."""
        outside = self.loops
        for part in [node, *getattr(node, "generators", [])]:
            values = getattr(getattr(part, "iter", None), "elts", None)
            if values and all(isinstance(value, ast.Constant) for value in values):
                self.loops = {**self.loops, ast.unparse(part.target): [value.value for value in values]}
        super().visit(node)
        self.loops = outside

    def take(self, kind, key):
        found = {"job.inputs": self.inputs, "job.outputs": self.outputs, "job.about": self.about}.get(kind)
        if found is not None:
            found.update([key.value] if isinstance(key, ast.Constant) else self.loops[ast.unparse(key)])

    def visit_Subscript(self, node):
        self.take(ast.unparse(node.value), node.slice)
        self.generic_visit(node)

    def visit_Call(self, node):
        called = ast.unparse(node.func)
        if called in ("job.input", "job.output"):
            self.take(f"{called}s", node.args[0])
        elif called.endswith(".get"):
            self.take(called.removesuffix(".get"), node.args[0])
        elif called == "job.pool_files":
            self.inputs.add("pools")
        self.generic_visit(node)


@pytest.mark.parametrize("step", step_names())
def test_a_step_declares_what_it_reads_and_writes(step):
    """Seen in the source: of the step, of what its protocols do, and of what brings it to MLflow."""
    modules = [STEPS / f"{step}.py"]
    part = {"train": "training", "combine": "combining", "folds": "folds"}.get(step)
    modules += [] if part is None else sorted(PROTOCOLS.glob(f"*/{part}.py"))
    modules += [STEPS.parent / "receipts.py"] if step.startswith("track_") else []
    found = [Reader(path) for path in modules]
    declared = declarations(step)
    inputs, outputs, about = (set().union(*(getattr(f, k) for f in found)) for k in ("inputs", "outputs", "about"))
    assert inputs == {name.rstrip("/") for name in declared["INPUTS"]}
    assert outputs == set(declared["OUTPUTS"]) - {"record"}
    assert about <= set(declared["ABOUT"])
    if "record" not in declared["OUTPUTS"]:  # a record has all that it is about
        assert about == set(declared["ABOUT"])


KINDS = {
    "critical_difference": "Average rank of each method",
    "ranks-": "Average rank of each method",
    "sweep-": "Mean error over data sets and their splits against a parameter",
    "boxes": "Boxes span the quartiles",
    "histogram": "**Look at overlap**",
    "heatmap_": "**Look for stripes.**",
    "calibration": "Are decisions as often right as they are sure?",
    "differences": "**Left of the line is better than the control.**",
    "margin_distributions": "The margin of a row",
    "ordered_curves": "members in the pruner's order",
    "members": "How many members are kept",
    "diversity": "How often two members disagree",
    "rank_intervals": "the data sets are drawn again and again",
    "win_matrix": "the method of the row is better than that of the column",
    "pareto": "the methods that no other one beats in both",
    "posterior": "The Bayesian signed-rank test",
    "kappa_error": "A point is a pair of members of a pool",
}


def test_figures_have_the_caption_of_their_kind(jobs):
    captions = {Path(path).stem: name for job in jobs for path, name in job.captions.items()}
    drawn = {Path(f).stem for job in jobs if job.rule.startswith("draw_") for f in job.output["figures"]}
    assert set(captions) == drawn
    seen = set()
    for figure, caption in captions.items():
        (kind,) = [kind for kind in KINDS if figure.startswith(kind)]
        assert KINDS[kind] in (ROOT / "workflow/report" / caption).read_text(), figure
        seen.add(kind)
    assert seen == set(KINDS)
