"""The site's configuration for Sphinx: ``make docs``."""

import re
import sys
import warnings
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parent
sys.path.insert(0, str(HERE / "_extensions"))

project = "Rotastack"
author = "The Rotastack developers"
copyright = author
release = version = re.search(r'^__version__ = "(.+)"$', (ROOT / "src/rotastack/__init__.py").read_text(), re.M)[1]

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "sphinxarg.ext",
    "sphinxcontrib.autodoc_pydantic",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
    "mathml",
]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
templates_path = ["_templates"]
exclude_patterns = ["_build", "_extensions", "_templates", "evidence/data"]
nitpicky = False  # types in signatures are others' classes, whose pages are not fetched here
default_role = "literal"  # numpydoc: what stands in single backticks is a name in code

myst_enable_extensions = ["attrs_inline", "colon_fence", "deflist", "dollarmath", "amsmath"]
myst_heading_anchors = 3
myst_links_external_new_tab = False

autosummary_generate_overwrite = True
autodoc_typehints = "none"  # the docstrings list types with the parameters
autodoc_member_order = "bysource"
toc_object_entries_show_parents = "hide"
numpydoc_show_class_members = False  # _templates/autosummary/class.rst lists the methods
numpydoc_class_members_toctree = False
numpydoc_attributes_as_param_list = True

html_math_renderer = "mathml"  # needs neither a script nor a network
html_theme = "pydata_sphinx_theme"
html_title = "Rotastack"
html_static_path = ["_static"]
html_favicon = "_static/logo.svg"
html_css_files = ["site.css"]
html_show_sourcelink = False
html_sidebars = {"index": [], "choosing/index": [], "faq": [], "glossary": [], "whats-new": []}
html_context = {"default_mode": "auto"}  # light or dark, as the reader's system is
html_theme_options = {
    "logo": {"text": "Rotastack", "image_light": "_static/logo.svg", "image_dark": "_static/logo.svg", "alt_text": ""},
    "header_links_before_dropdown": 8,
    "navbar_align": "left",
    "navigation_depth": 3,
    "show_nav_level": 1,
    "show_toc_level": 2,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "pygments_light_style": "a11y-light",
    "pygments_dark_style": "a11y-dark",
}

copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

autodoc_pydantic_model_show_json = False
autodoc_pydantic_model_show_config_summary = False
autodoc_pydantic_model_show_validator_summary = False
autodoc_pydantic_model_show_validator_members = False
autodoc_pydantic_model_show_field_summary = False
autodoc_pydantic_model_hide_paramlist = True
autodoc_pydantic_field_list_validators = False
autodoc_pydantic_field_show_constraints = False
autodoc_pydantic_field_doc_policy = "description"
autodoc_pydantic_model_signature_prefix = "mapping"
autodoc_pydantic_field_signature_prefix = "key"

sphinx_gallery_conf = {
    "examples_dirs": [str(ROOT / "examples")],
    "gallery_dirs": ["gallery"],
    "filename_pattern": r"[/\\]plot_",
    "ignore_pattern": r"^_",
    "backreferences_dir": "gallery/uses",
    "doc_module": ("rotastack",),
    "within_subsection_order": "FileNameSortKey",
    "download_all_examples": False,
    "show_memory": False,
    "capture_repr": (),  # the output of a script is what it prints
    "remove_config_comments": True,
    "plot_gallery": "True",
    "abort_on_example_error": True,
    "show_signature": False,
    "write_computation_times": False,  # that page loads scripts from the network
}

suppress_warnings = ["config.cache"]  # the gallery's settings hold classes
warnings.filterwarnings("ignore", message=".*non-interactive.*", category=UserWarning)  # of Agg, at plt.show


def without_roles(app, what, name, obj, options, lines):
    """Replace references to scikit-learn's glossary and pages, which are not on this site, by their words."""
    if getattr(obj, "__module__", "").startswith("sklearn."):
        lines[:] = [re.sub(r":(?:term|ref):`([^`<]+?)(?: <[^`]*>)?`", r"``\1``", line) for line in lines]


def setup(app):
    """Connect what the site needs of autodoc's docstrings."""
    app.connect("autodoc-process-docstring", without_roles)
