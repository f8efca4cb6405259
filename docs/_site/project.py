"""Where the project is, its version, and how its gallery is drawn."""

import re
from pathlib import Path

__all__ = ["DOCS", "GALLERY", "RELEASE", "ROOT"]

DOCS = Path(__file__).resolve().parents[1]
ROOT = DOCS.parent
RELEASE = re.search(r'^__version__ = "(.+)"$', (ROOT / "src/rotastack/__init__.py").read_text(), re.M)[1]

GALLERY = {
    "examples_dirs": [str(ROOT / "examples")],
    "gallery_dirs": ["gallery"],
    "filename_pattern": r"[/\\]plot_",
    "ignore_pattern": r"^_",
    "backreferences_dir": "gallery/uses",
    "doc_module": ("rotastack",),
    "within_subsection_order": "FileNameSortKey",
    "download_all_examples": False,
    "show_memory": False,
    "capture_repr": (),  # what a script prints is its output, not what its last line is
    "remove_config_comments": True,
    "plot_gallery": "True",
    "abort_on_example_error": True,
    "show_signature": False,
    "write_computation_times": False,  # its page loads scripts from elsewhere
}
