"""Compare the flagship for regression with forests and boosting at their defaults, on the targets of intervals.py.

    python benchmarks/regression.py [--splits 5] > docs/evidence/data/tables/regression.csv

The output is root mean squared errors of Rotastack over those of each peer, geometric means over splits; below 1 is better for
Rotastack. The last row has geometric means over targets, and numbers of better and worse targets. One thread.
"""

import argparse
import os

for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_variable] = "1"

import numpy as np
from intervals import split_rows, tables
from lightgbm import LGBMRegressor
from sklearn.ensemble import ExtraTreesRegressor, HistGradientBoostingRegressor, RandomForestRegressor
from sklearn.metrics import root_mean_squared_error

from rotastack import RotastackRegressor

PEERS = {
    "RF": lambda seed: RandomForestRegressor(500, random_state=seed),
    "RF, a third of the columns": lambda seed: RandomForestRegressor(500, max_features=1 / 3, random_state=seed),
    "ET": lambda seed: ExtraTreesRegressor(500, random_state=seed),
    "HGB": lambda seed: HistGradientBoostingRegressor(random_state=seed),
    "LightGBM": lambda seed: LGBMRegressor(n_jobs=1, verbosity=-1, random_state=seed),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--splits", type=int, default=5)
    splits = parser.parse_args().splits
    print(f"# `python benchmarks/regression.py`, {splits} splits")
    print(",".join(["target", *(f'"{name}"' for name in PEERS)]))
    every = []
    for name, X, y in tables():
        logs = []
        for split in range(splits):
            train, test = split_rows(len(y), split)

            def error(model, train=train, test=test, X=X, y=y):
                return root_mean_squared_error(y[test], model.fit(X[train], y[train]).predict(X[test]))

            ours = error(RotastackRegressor(random_state=split))
            logs.append([np.log(ours / error(peer(split))) for peer in PEERS.values()])
        every.append(np.mean(logs, axis=0))
        print(",".join([f'"{name}"', *(f"{ratio:.3f}" for ratio in np.exp(every[-1]))]), flush=True)
    cells = [
        f"{np.exp(np.mean(column)):.3f} ({np.sum(column < 0)} : {np.sum(column > 0)})" for column in np.array(every).T
    ]
    print(",".join([f'"all {len(every)}, better : worse"', *cells]))


if __name__ == "__main__":
    main()
