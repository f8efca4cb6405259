"""Estimators as others write them: without probabilities, that fail, that warn, that are none."""

import ctypes
import faulthandler
import os
import signal
import sys
import warnings

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

from rotastack.base.combiner import Combiner


class Mute(ClassifierMixin, BaseEstimator):
    """The class of the nearest training row; no probabilities."""

    def __init__(self, power: int = 2):
        self.power = power

    def fit(self, X, y):
        self.X_, self.y_, self.classes_ = X, y, np.unique(y)
        return self

    def predict(self, X):
        distance = (np.abs(X[:, None] - self.X_[None]) ** self.power).sum(axis=2)
        return self.y_[distance.argmin(axis=1)]


class Failing(Mute):
    """Cannot be fitted."""

    def fit(self, X, y):
        raise RuntimeError("no\nluck today")


class Uneasy(Mute):
    """Warns whenever it is fitted."""

    def fit(self, X, y):
        warnings.warn("did not converge", UserWarning, stacklevel=2)
        return super().fit(X, y)


class Open(ClassifierMixin, BaseEstimator):
    """Takes parameters that its signature does not name."""

    def __init__(self, depth: int | None = None, **others):
        self.depth = depth

    def fit(self, X, y):
        return self

    def predict(self, X):
        return np.zeros(len(X), dtype=int)


class Duck:
    """A classifier by its methods and an old attribute; it inherits nothing."""

    _estimator_type = "classifier"

    def __init__(self, k=1):
        self.k = k

    def get_params(self, deep=True):
        return {"k": self.k}

    def set_params(self, **parameters):
        vars(self).update(parameters)
        return self

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.most_ = np.bincount(y).argmax()
        return self

    def predict(self, X):
        return np.full(len(X), self.most_)


class Faulty(Mute):
    """Goes wrong in ways of which no exception comes: at the training of this number, counted from 0."""

    def __init__(self, how: str = "crash", when: int = 0):
        self.how = how
        self.when = when

    trained = 0

    def fit(self, X, y):
        Faulty.trained += 1
        if Faulty.trained > self.when:
            {"crash": _crash, "exit": _exit, "leave": _leave, "hang": _hang, "loop": _loop, "kill": _kill}.get(
                self.how, id
            )(0)
        return super().fit(X, y)

    def predict_proba(self, X):
        shares = np.full((len(X), len(self.classes_)), 1 / len(self.classes_))
        shares[: 3 if self.how == "nan" else 0] = np.nan
        return shares

    power = 2


def _crash(_):
    faulthandler.disable()
    os.kill(os.getpid(), signal.SIGSEGV)


def _kill(_):
    os.kill(os.getpid(), signal.SIGKILL)  # as the system does where memory runs out


def _exit(_):
    os._exit(7)


def _leave(_):
    sys.exit(3)


def _loop(_):
    while True:
        pass


def _hang(_):
    ctypes.PyDLL(None).sleep(1000)  # holds Python's lock, so that no handler of signals is run


class NoNumbers(Combiner):
    """A combiner whose probabilities are 0 / 0 for one row."""

    def predict_proba(self, outputs):
        probabilities = outputs.mean(axis=0)
        probabilities[0] = np.nan
        return probabilities
