"""Studies of the tests on a cluster: few jobs, as each starts Snakemake two times."""

SPECK = """\
name: speck
datasets: [iris, balance-scale]
protocol: {kind: holdout, repeats: 2}
blocks: {splits: 2}
pools:
  forest: {estimator: forest, parameters: {n_estimators: 4}}
methods:
  RF: {pool: forest, combiner: {kind: vote}}
  Hard: {pool: forest, combiner: {kind: vote, voting: hard}}
model: {refit: none}
"""
FAULTS = ("cancelled", "killed", "time", "node", "memory")
MET = (
    """\
name: met
datasets: [iris]
protocol: {kind: holdout, repeats: 1}
pools:
"""
    + "".join(
        f"  {fault}: {{estimator: faulty.FaultyClassifier, parameters: {{fault: {fault}}}}}\n" for fault in FAULTS
    )
    + """\
methods:
"""
    + "".join(f"  M-{fault}: {{pool: {fault}, combiner: {{kind: vote}}}}\n" for fault in FAULTS)
    + """\
model: {refit: none}
"""
)
