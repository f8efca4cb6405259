"""Write the tables and the plot of benchmarks/README.md from the results of forest.py.

python benchmarks/table.py FILE.json
"""

import json
import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

HERE = Path(__file__).parent


def tables(result) -> str:
    lines = []
    rows = result["rows"]
    columns = ["table", "trees", "fit", "predict", "accuracy, ours / theirs", "nodes, ours / theirs"]
    for title in dict.fromkeys(r["comparison"] for r in rows):
        lines += [f"### {title}", "", f"| {' | '.join(columns)} |", "|---" * len(columns) + "|"]
        for r in (r for r in rows if r["comparison"] == title):
            nodes = " / ".join("-" if r[k] is None else f"{r[k]:.0f}" for k in ("nodes", "peer_nodes"))
            accuracies = f"{r['accuracy']:.3f} / {r['peer_accuracy']:.3f}"
            cells = [r["table"], str(r["trees"]), f"{r['fit']:.1f}x", f"{r['predict']:.1f}x", accuracies, nodes]
            lines.append(f"| {' | '.join(cells)} |")
        lines.append("")
    lines += ["### Two threads, and memory", "", "| table | two threads against one |", "|---|---|"]
    lines += [f"| {table} | {ratio:.2f}x |" for table, ratio in result["threads"].items()]
    lines += ["", "| waveform 2500x21, 100 trees | peak of fit, MB |", "|---|---|"]
    lines += [f"| {peer} | {megabytes:.0f} |" for peer, megabytes in result["memory"].items()]
    return "\n".join(lines) + "\n"


def plot(result) -> None:
    rows = [r for r in result["rows"] if r["trees"] == 100]
    names = list(dict.fromkeys(r["table"] for r in rows))
    figure, axes = plt.subplots(figsize=(10, 4.5), layout="constrained")
    for k, title in enumerate(dict.fromkeys(r["comparison"] for r in rows)):
        mine = [r for r in rows if r["comparison"] == title]
        axes.plot(
            [names.index(r["table"]) for r in mine],
            [r["fit"] for r in mine],
            marker="osD^vPX*h"[k % 9],
            label=f"{title}",
            linewidth=1,
        )
    axes.axhline(1, color="0.4", linewidth=0.8)
    axes.set(yscale="log", ylabel="times faster to fit (100 trees, one thread)")
    axes.set_xticks(range(len(names)), names, rotation=20, ha="right")
    figure.legend(fontsize=7, loc="outside right upper", title="against", title_fontsize=7)
    figure.savefig(HERE / "forest.png", dpi=130)


def main() -> None:
    result = json.loads(Path(sys.argv[1]).read_text())
    plot(result)
    readme = HERE / "README.md"
    mark = "<!-- tables -->\n"
    readme.write_text(readme.read_text().split(mark)[0] + mark + "\n" + tables(result))


if __name__ == "__main__":
    main()
