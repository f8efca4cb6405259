"""The places of a study's files that both the rules and the commands name."""

from typing import NamedTuple

__all__ = ["RAW", "TABLE", "StudyFiles"]

RAW = "data/raw/{dataset}.csv.gz"
TABLE = "results/datasets/{dataset}.parquet"


class StudyFiles(NamedTuple):
    """Files of a study; those of a data set have ``{dataset}`` in their names.

    Attributes
    ----------
    root : str
        Folder of the study's results.
    """

    root: str

    @property
    def report(self) -> str:
        """The page."""
        return f"{self.root}/report.html"

    @property
    def scores(self) -> str:
        """The scores of all data sets, methods and cells."""
        return f"{self.root}/scores.parquet"

    @property
    def verdict(self) -> str:
        """The verdict in sentences."""
        return f"{self.root}/statistics/verdict.json"

    @property
    def comparison(self) -> str:
        """The comparisons of the methods, by score."""
        return f"{self.root}/statistics/comparison.json"

    @property
    def skipped(self) -> str:
        """The data sets that cannot be had, for jobs, which do not ask again."""
        return f"{self.root}/skipped.json"

    @property
    def folds(self) -> str:
        """The folds or splits of a data set."""
        return f"{self.root}/{{dataset}}/folds.parquet"

    def rotations(self, name: str) -> str:
        """Return the rotations of a data set, by view and the groups of a block."""
        return f"{self.root}/{{dataset}}/rotations/{name}.nc"

    def method(self, name: str) -> str:
        """Return the outputs of a method on a data set."""
        return f"{self.root}/{{dataset}}/methods/{name}.nc"

    @property
    def model(self) -> str:
        """The model of a data set; empty if training failed."""
        return f"{self.root}/{{dataset}}/model/model.skops"

    @property
    def explanation(self) -> str:
        """What the model of a data set looks at."""
        return f"{self.root}/{{dataset}}/model/explanation.json"

    def table(self, name: str) -> str:
        """Return a table of the study."""
        return f"{self.root}/tables/{name}.csv"
