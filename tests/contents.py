"""What models hold, for tests that compare them byte by byte."""

import io
import pickle


def contents(model):
    """Return all that a model holds, whether two of its attributes are one object or equal ones."""
    file = io.BytesIO()
    pickler = pickle.Pickler(file)
    pickler.fast = True
    pickler.dump(model)
    return file.getvalue()
