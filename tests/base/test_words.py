"""Free text as components of its words: the words of training rows alone, whatever the texts are."""

import numpy as np
import pandas as pd
import pytest
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer
from tests.own_tables import reviews
from threadpoolctl import threadpool_limits

from rotastack import RotastackClassifier, RotastackRegressor
from rotastack.base.preprocessing import TablePreprocessor
from rotastack.base.words import TextComponents
from rotastack.workflow.tracking.model_files import dump_model, load_model

TEXTS = reviews(200)[0]["review"]


def test_components_are_those_of_scikit_learn():
    vectorizer = TfidfVectorizer(max_features=5000, min_df=2, sublinear_tf=True, dtype=np.float32)
    words = vectorizer.fit_transform(TEXTS)
    expected = TruncatedSVD(20, random_state=0).fit(words).transform(words)
    np.testing.assert_allclose(TextComponents(20).fit(TEXTS).transform(TEXTS), expected, atol=1e-5)
    few = TextComponents(500).fit(TEXTS).transform(TEXTS)
    np.testing.assert_array_equal(few[:, : words.shape[1]], words.toarray())
    assert not few[:, words.shape[1] :].any()
    assert TextComponents(12).fit(TEXTS[:8]).transform(TEXTS).any(axis=0).tolist() == [True] * 8 + [False] * 4


def test_the_number_of_components_follows_from_the_rows():
    texts = pd.DataFrame({"note": [*TEXTS] * 3})
    found = [
        TablePreprocessor({"note": "text"}).fit(texts.head(n)).texts_["note"].n_components for n in (2, 20, 200, 600)
    ]
    assert found == [1, 5, 50, 100]


@pytest.mark.parametrize(
    ("texts", "is_known"),
    [
        (["a", "b", "c d", "?"], False),  # words of one letter are none
        (["each one", "word once", "only here"], False),
        ([None, None, pd.NA], False),
        (["good"] * 3, True),
        (["good food", "good"], True),
        (["очень хорошо", "очень плохо", "хорошо"], True),
        (["room 12", "room 13", "room 12"], True),
        (["a" * 20_000, "b" * 20_000 + " good", "good good"], False),  # beyond the first 10,000 characters
    ],
)
def test_texts_with_few_words(texts, is_known):
    column = pd.Series(texts, dtype=object)
    encoder = TextComponents(4).fit(column)
    found = encoder.transform(column)
    assert np.isfinite(found).all()
    assert found.any() == is_known
    assert not encoder.transform(pd.Series(["xyzzy", "", None, [1, 2], 7.5], dtype=object)).any()
    assert encoder.transform(column[:0]).shape == (0, 4)


def test_a_row_is_encoded_alone_as_beside_others_and_by_any_threads():
    with threadpool_limits(1, user_api="blas"):
        one = TextComponents(20).fit(TEXTS)
    with threadpool_limits(2, user_api="blas"):
        two = TextComponents(20).fit(TEXTS)
    together = one.transform(TEXTS)
    assert together.tobytes() == two.transform(TEXTS).tobytes()
    np.testing.assert_array_equal(one.transform(TEXTS[7:8])[0], together[7])


def test_the_preprocessor_keeps_one_place_for_a_column(tmp_path):
    table = pd.DataFrame({"note": TEXTS, "n": np.arange(200) / 7, "k": ["u", "v"] * 100})
    p = TablePreprocessor(encoding="codes").fit(table)
    assert p.get_feature_names_out().tolist() == ["n", *(f"note ({k})" for k in range(1, 51)), "k"]
    assert [len(part) for part in p.parts_] == [1, 50, 1]
    dump_model(p, tmp_path / "p.skops")
    np.testing.assert_array_equal(load_model(tmp_path / "p.skops").transform(table.head(1)), p.transform(table)[:1])
    assert TablePreprocessor({"k": "text"}).fit(table).kinds_["k"] == "text"


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("flagship", [RotastackClassifier, RotastackRegressor])
def test_the_flagship_reads_text(flagship):
    table, target = reviews(300)
    X, y = table[["review", "price"]], (table[target] == "liked").astype(int)
    model = flagship(10, random_state=0, n_jobs=2).fit(X[:200], y[:200])
    found = model.predict(X[200:])
    assert np.mean(np.abs(found - y[200:]) > 0.5) < 0.25
    assert model.feature_importances_[0] > 0.6
    np.testing.assert_array_equal(model.predict(X[200:201]), found[:1])
    assert len(model.predict(X[:2].assign(review=[None, "xyzzy"]))) == 2
