"""Tables of evidence from files of the repository: the flagship's, and those of the exclusivity regularised machine."""

from _site import papers, results

__all__ = ["ablation", "exrm_squared", "summary"]


def summary(_docname: str) -> str:
    """Return the summary of the flagship and its peers over all sets."""
    return "\n".join(results.summary_lines())


def ablation(_docname: str) -> str:
    """Return what each family is worth: the changes that leave something out, and what another seed does."""
    header, rule, *rows = results.lines_of_table("evidence/flagship-ablation.md")
    kept = [row for row in rows if row.startswith(("| another seed", "| without", "| trees_per_family", "| ridge"))]
    columns = (0, 1, 2, 5, 6, 9)
    return "\n".join(_columns(line, columns) for line in (header, rule, *kept))


def _columns(line, numbers):
    cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
    return f"| {' | '.join(cells[n] for n in numbers)} |"


def exrm_squared(_docname: str) -> str:
    """Return errors in percent of ten members with squared losses, and of single machines."""
    rows = {
        "L2-ExRM10": "ExRM, ten members, as printed",
        "L2-ExRM10 exact": "ExRM, ten members, at the optimum",
        "L2-PSVM": "SVM with the same lambda",
    }
    table = papers.errors("exrm", list(rows)).rename(columns=rows).T
    return papers.markdown((100 * table).map("{:.1f}".format), "error in %")
