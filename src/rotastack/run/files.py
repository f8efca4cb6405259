"""Paths of a study's files, for the rules and the commands."""

from typing import NamedTuple

__all__ = ["RAW", "TABLE", "StudyFiles"]

RAW = "data/raw/{dataset}.csv.gz"
TABLE = "results/datasets/{dataset}.parquet"


class StudyFiles(NamedTuple):
    """Paths of a study's files; the paths of a data set's files contain ``{dataset}``.

    Attributes
    ----------
    root : str
        Folder of the study's results.
    """

    root: str

    @property
    def report(self) -> str:
        """The HTML report."""
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
        """The notes on skipped data sets, which jobs read instead of checking the data sets again."""
        return f"{self.root}/skipped.json"

    @property
    def folds(self) -> str:
        """The folds or splits of a data set."""
        return f"{self.root}/{{dataset}}/folds.parquet"

    def rotations(self, name: str) -> str:
        """Return the path of a data set's rotations; `name` is the view and the rotation groups of a block."""
        return f"{self.root}/{{dataset}}/rotations/{name}.nc"

    def method(self, name: str) -> str:
        """Return the path of a method's outputs on a data set."""
        return f"{self.root}/{{dataset}}/methods/{name}.nc"

    @property
    def model(self) -> str:
        """The model of a data set; empty if training failed."""
        return f"{self.root}/{{dataset}}/model/model.skops"

    @property
    def explanation(self) -> str:
        """The explanation of a data set's model."""
        return f"{self.root}/{{dataset}}/model/explanation.json"

    def table(self, name: str) -> str:
        """Return the path of a table of the study."""
        return f"{self.root}/tables/{name}.csv"
