"""What the Snakefile calls first."""

import inspect
from types import SimpleNamespace

from snakemake.common import get_function_params
from snakemake.resources import Resource

from rotastack.run.launch import remember_parameters


def test_snakemake_need_not_ask_again_what_functions_take(monkeypatch):
    def function(w, attempt):
        return w, attempt

    remember_parameters([SimpleNamespace(input=["a.csv", function], params=[3, lambda w: w])])
    monkeypatch.setattr(inspect, "signature", None)
    assert list(get_function_params(function)) == ["w", "attempt"]
    resource = Resource("mem_mb", lambda w, attempt: 10 * attempt)
    assert [p.kind.name for p in get_function_params(resource.evaluate).values()] == ["VAR_POSITIONAL", "VAR_KEYWORD"]
