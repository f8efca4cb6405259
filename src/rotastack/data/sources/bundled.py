"""Data sets that are part of scikit-learn."""

from rotastack.data.sources.source import Source
from rotastack.errors import RotastackError, nearest

_NAMES = ("iris", "wine", "breast_cancer", "digits", "diabetes")


class BundledSource(Source):
    """One of scikit-learn's bundled data sets; labels are class names, or the numbers of a regression."""

    plain = str

    def load(self):
        import sklearn.datasets

        self.probe()
        bunch = getattr(sklearn.datasets, f"load_{self.value}")(as_frame=True)
        columns = [name.replace(" (cm)", "").replace(" ", "_") for name in bunch.data.columns]
        table = bunch.data.set_axis(columns, axis=1)
        if "target_names" not in bunch:
            return table.assign(target=bunch.target)
        return table.assign(target=[str(label) for label in bunch.target_names[bunch.target]])

    def probe(self) -> None:
        if self.value not in _NAMES:
            raise RotastackError(
                f"{self.where}: bundled data set {self.value!r} is unknown{nearest(str(self.value), list(_NAMES))}; "
                f"allowed: {', '.join(_NAMES)}"
            )
