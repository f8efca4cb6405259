"""Gaussian process classification, with a length scale from the data and nothing optimised."""

from rotastack.ensembles.inducers.gaussian_process import MedianGaussianProcess

__all__ = ["PARAMETERS", "make"]

PARAMETERS: dict = {}


def make() -> MedianGaussianProcess:
    """Make a Gaussian process classifier with the median distance as its length scale."""
    return MedianGaussianProcess()
