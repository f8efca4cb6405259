"""The compiled part of the forest: numbers in, numbers out, no Python objects and no GIL.

Each `.pyx` is an extension module; the `.pxd` files, one for each idea, are what these are made of. Importing any of
them first sees to it that they are there: in a checkout built from its sources as they are, elsewhere for this platform.
"""

import sys
import sysconfig
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

from rotastack.errors import KernelError

_BUILDER = Path(__file__).resolve().parents[4] / "tools" / "build_kernel.py"


def _bring_up_to_date() -> None:
    spec = spec_from_file_location("rotastack_build_kernel", _BUILDER)
    assert spec is not None
    assert spec.loader is not None
    builder = module_from_spec(spec)
    spec.loader.exec_module(builder)
    try:
        builder.bring_up_to_date()
    except ImportError as error:
        raise KernelError(str(error)) from error


if _BUILDER.is_file():  # a checkout
    _bring_up_to_date()

try:
    from rotastack.trees.kernel import nearest  # noqa: F401, the smallest
except ImportError as error:
    raise KernelError(
        f"rotastack's compiled kernel does not load on {sysconfig.get_platform()} with Python "
        f"{sys.version_info.major}.{sys.version_info.minor} ({error}): "
        "pip install --force-reinstall --no-deps rotastack brings that of this platform"
    ) from error
