"""Names of files."""

__all__ = ["slug", "sweep_name"]


def slug(label: str) -> str:
    """Return a label as a file name: ``S-RRE/RF`` becomes ``S-RRE_RF``."""
    return "".join(c if c.isalnum() or c in "-." else "_" for c in label)


def sweep_name(number: int) -> str:
    """Return the figure that shows the study's sweep of this number, from 0: ``sweep-1`` and so on."""
    return f"sweep-{number + 1}"
