"""The flagship: a forest of several families of trees, weighted by outputs for rows that their trees have not seen."""
