"""What tests of the flagship share."""

import pytest

from rotastack.ensembles.flagship.rotastack import RotastackEnsemble


@pytest.fixture
def all_kept(monkeypatch):
    """Families that have no weight keep their trees, so that a test can look at them."""

    def keep(self):
        for grown in self.grown_:
            grown.forget()

    monkeypatch.setattr(RotastackEnsemble, "_switch_off", keep)
