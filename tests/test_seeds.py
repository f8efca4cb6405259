"""The index of seeds in `rotastack.seeds` has every key that the package uses."""

import ast
import re
from pathlib import Path

import numpy as np

import rotastack.seeds
from rotastack.seeds import kernel_seeds, random_bits, root_sequence


def keys():
    """Yield the text keys of calls of ``child``, with their files."""
    for file in sorted(Path(rotastack.seeds.__file__).parent.rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "child":
                for part in node.args[1:]:
                    if isinstance(part, ast.Constant) and isinstance(part.value, str):
                        yield part.value, file.name


def test_the_index_has_every_key_and_no_other():
    index = set(re.findall(r"\w+", rotastack.seeds.__doc__))
    used = set(keys())
    assert not [(key, file) for key, file in used if key not in index]
    assert len({key for key, _ in used}) > 20


def test_random_bits():
    published = [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F, 0xF88BB8A8724C81EC]  # SplitMix64 of seed 0
    assert random_bits(0, 4).tolist() == published
    seeds = kernel_seeds(root_sequence(0), 6)
    np.testing.assert_array_equal(kernel_seeds(root_sequence(0), 2), seeds[:2])
    together = random_bits(seeds.reshape(2, 3), 5)
    for seed, bits in zip(seeds, together.reshape(6, 5), strict=True):
        np.testing.assert_array_equal(random_bits(seed, 9)[:5], bits)
