"""The content of models, for comparisons byte by byte."""

import io
import pickle


def contents(model):
    """Return the content of a model; shared and equal attributes give the same content."""
    file = io.BytesIO()
    pickler = pickle.Pickler(file)
    pickler.fast = True
    pickler.dump(model)
    return file.getvalue()
