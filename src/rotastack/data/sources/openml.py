"""Data sets of OpenML, by id, loaded by scikit-learn."""

from rotastack.data.net import check, openml_table
from rotastack.data.sources.source import Source

DESCRIPTION = "https://www.openml.org/api/v1/json/data/{}"


class OpenmlSource(Source):
    """A data set of OpenML, written as an id or as ``{id, target, drop}``; scikit-learn checks and retries."""

    network = True
    plain = int
    key = "id"

    def load(self):
        target, drop = self.parts.get("target", "default-target"), self.parts.get("drop", [])
        return openml_table(self.parts["id"], self.where, target, drop)

    def probe(self) -> None:
        number = self.parts["id"]
        check(DESCRIPTION.format(number), f"{self.where}: OpenML {number}", "GET")
