"""The compiled part of the forest: numbers in, numbers out, without Python objects and without the GIL.

Each `.pyx` file is an extension module. The `.pxd` files, one for each idea, are compiled into the modules that use them.
"""

import sys
import sysconfig

from rotastack.errors import KernelError

try:
    from rotastack.trees.kernel import discriminants  # noqa: F401, the smallest
except ImportError as error:
    raise KernelError(
        f"rotastack's compiled kernel does not load on {sysconfig.get_platform()} with Python "
        f"{sys.version_info.major}.{sys.version_info.minor} ({error}): in a clone of the repository run `make env`; elsewhere run "
        "`pip install --force-reinstall --no-deps rotastack`"
    ) from error
