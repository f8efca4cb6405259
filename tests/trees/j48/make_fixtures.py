"""Ask WEKA's J48 (3.6.14) for its trees and predictions, and write them to fixtures.json.

Needs Java and /usr/share/java/weka.jar, as Debian's package `weka` puts it there. From the project's
folder: ``.venv/bin/python -m tests.trees.j48.make_fixtures``. For each table and option it runs ::

    java -cp /usr/share/java/weka.jar weka.classifiers.trees.J48 OPTIONS -t train.arff -no-cv
    java -cp /usr/share/java/weka.jar weka.classifiers.trees.J48 OPTIONS -t train.arff -T all.arff -p 0

A tree is written node by node, a node before its left and then its right branch: ``3<=0.5`` for a
split of column 3, ``=2(48/1)`` for a leaf of class 2 with 48 training cases, 1 of another class (both
as printed, so rounded to hundredths). Predictions are those of all rows, one digit each.
"""

import json
import re
import subprocess
import tempfile
from pathlib import Path

from tests.trees.j48.tables import OPTIONS, TABLES, Table, table

J48 = ["java", "-cp", "/usr/share/java/weka.jar", "weka.classifiers.trees.J48"]
BRANCH = re.compile(r"((?:\|   )*)x(\d+) (<=|>) ([-+.\deE]+)(?:: (\d+) \((\S+)\))?")


def write_arff(path: Path, data: Table, rows) -> None:
    lines = ["@relation table"]
    lines += [f"@attribute x{j} numeric" for j in range(data.X.shape[1])]
    lines += [f"@attribute class {{{','.join(map(str, range(data.y.max() + 1)))}}}", "@data"]
    for i in rows:
        weight = "" if data.weights is None else f",{{{data.weights[i]}}}"
        lines.append(",".join(map(repr, data.X[i].tolist())) + f",{data.y[i]}{weight}")
    path.write_text("\n".join(lines) + "\n")


def run(options: str, *arguments) -> str:
    call = [*J48, *options.split(), *map(str, arguments)]
    return subprocess.run(call, capture_output=True, text=True, check=True).stdout


def number(text: str) -> str:
    return f"{float(text):.12g}"


def leaf(of: str, cases: str) -> str:
    return f"={of}({'/'.join(number(c) for c in cases.split('/'))})"


def tree_of(printed: str) -> str:
    """Return the tree that J48 printed, in the form stated above."""
    alone = re.search(r"^: (\d+) \((\S+)\)$", printed, re.MULTILINE)
    if alone:
        return leaf(*alone.groups())
    nodes = []
    for _, column, side, cut, of, cases in BRANCH.findall(printed):
        if side == "<=":
            nodes.append(f"{column}<={number(cut)}")
        if of:
            nodes.append(leaf(of, cases))
    return " ".join(nodes)


def ask(name: str) -> dict:
    data = table(name)
    said = {}
    with tempfile.TemporaryDirectory() as folder:
        train, everything = Path(folder) / "train.arff", Path(folder) / "all.arff"
        write_arff(train, data, data.train.nonzero()[0])
        write_arff(everything, data, range(len(data.y)))
        for option, (_, words) in OPTIONS.items():
            printed = run(words, "-t", train, "-no-cv")
            predicted = run(words, "-t", train, "-T", everything, "-p", 0)
            classes = re.findall(r"^\s*\d+\s+\d+:\d+\s+\d+:(\d+)", predicted, re.MULTILINE)
            assert len(classes) == len(data.y), predicted
            said[option] = {
                "size": int(re.search(r"Size of the tree : \s*(\d+)", printed)[1]),
                "leaves": int(re.search(r"Number of Leaves  : \s*(\d+)", printed)[1]),
                "tree": tree_of(printed),
                "predictions": "".join(classes),
            }
            nodes = said[option]["tree"].split()
            assert len(nodes) == said[option]["size"], printed
    print(name, {option: facts["size"] for option, facts in said.items()}, flush=True)
    return said


if __name__ == "__main__":
    fixtures = {name: ask(name) for name in TABLES}
    Path(__file__).with_name("fixtures.json").write_text(json.dumps(fixtures, indent=0) + "\n")
