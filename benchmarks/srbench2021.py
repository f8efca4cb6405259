"""Condense the study srbench2021 to one file, the source of its page of evidence and of a sentence of README.

    DATA_MIRROR=FOLDER rotastack run srbench2021                      # the folder has the data sets and published.csv
    DATA_MIRROR=FOLDER python benchmarks/srbench2021.py results/srbench2021

The file, docs/evidence/data/srbench2021.parquet, has a row for each number, as that of delgado2014.py. The file has our scores,
medians over splits; of the published scores the file has the best of each data set, and derived numbers: ranks, tests, and
differences from our scores.
"""

import sys
from pathlib import Path

import pandas as pd
import ranking

OUT = ranking.DATA / "srbench2021.parquet"
STUDY = ranking.study_of("srbench2021")
OWN = list(STUDY["methods"])
ALIKE = ("207_autoPrice", "562_cpu_small", "573_cpu_act")
"""Data sets that are nearly or exactly the tables of others: 195_auto_price, 227_cpu_small, 197_cpu_act."""
ROPE = 0.01
PAIRS = {"RF": "RandomForest", "Linear": "Linear (2021)"}


def facts_of_sets() -> pd.DataFrame:
    """Return the rows and columns of the data sets, and whether they are Friedman's."""
    facts = {
        d["mirror"]: {"rows": d["rows"], "columns": d["roughly"]["columns"], "friedman": float("_fri_" in d["mirror"])}
        for d in STUDY["datasets"]
    }
    return pd.DataFrame.from_dict(facts, orient="index")


def main(folder: Path) -> None:
    """Write the file."""
    ours, printed = ranking.scores_beside(folder, STUDY)
    theirs = ranking.with_means(printed).rename(columns={name: f"{name} (2021)" for name in OWN})
    table = ours.join(theirs).dropna()
    facts = facts_of_sets().loc[table.index]
    of_friedman = facts["friedman"] == 1
    over = {"all": table, "others": table[~of_friedman], "Friedman's": table[of_friedman]}
    over["each table once"] = table.drop(index=list(ALIKE), errors="ignore")
    as_prepared = {
        name: {"rows": rows, "numeric_columns": 1, "categorical_columns": 0, "few_valued_columns": 0}
        for name, rows in facts["rows"].items()
    }
    over |= {kind: table.loc[of] for kind, of in ranking.kinds_of(as_prepared).items()}
    numbers = ranking.Numbers()
    for name, part in over.items():
        if part.empty:
            continue
        numbers.add("ranks", name, ranking.ranks_of(part).assign(median=part.median()))
        if len(part) > 1:
            numbers.add("tests", name, ranking.tests_of(part, list(part.columns.drop(ranking.CONTROL)), ROPE))
            numbers.add_facts("friedman", name, {"data_sets": len(part), **ranking.friedman_of(part)})
    numbers.add("scores", "all", table[OWN], "dataset", "method", name="r2")
    apart = {f"apart_{mine}": table[mine] - table[other] for mine, other in PAIRS.items()}
    numbers.add("sets", "all", facts.assign(best=table[theirs.columns].max(axis=1), **apart), "dataset")
    numbers.add_best(table[theirs.columns])
    numbers.add("hours", "all", ranking.hours_of(folder))
    numbers.write(OUT)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
