"""The site's configuration for Sphinx: ``make docs``."""

import sys
import warnings
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

from _site.project import GALLERY, RELEASE  # noqa: E402

project = "Rotastack"
author = "The Rotastack developers"
copyright = author
release = version = RELEASE

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "numpydoc",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
    "_site",
]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
exclude_patterns = ["_build", "_site"]
nitpicky = False  # types in signatures are others' classes, whose pages are not fetched here
default_role = "literal"  # numpydoc: what stands in single backticks is a name in code

myst_enable_extensions = ["attrs_inline", "colon_fence", "deflist", "dollarmath", "amsmath"]
myst_heading_anchors = 3
myst_links_external_new_tab = False

autodoc_typehints = "none"  # numpydoc says types in the list of parameters
autodoc_member_order = "bysource"
toc_object_entries_show_parents = "hide"
numpydoc_show_class_members = False  # pages of classes list the methods of ours themselves
numpydoc_class_members_toctree = False
numpydoc_attributes_as_param_list = True

html_math_renderer = "mathml"  # of _site: no script, and no network
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

sphinx_gallery_conf = GALLERY

suppress_warnings = ["config.cache"]  # the gallery's settings hold classes
warnings.filterwarnings("ignore", message=".*non-interactive.*", category=UserWarning)  # of Agg, at plt.show
