"""Combiners that a study names by their class."""

import pytest
from tests.run.running import told

from rotastack.errors import RotastackError
from rotastack.workflow.run.fingerprint import code_of, named_modules
from rotastack.workflow.study.building import make
from rotastack.workflow.study.classes import check_classes
from rotastack.workflow.study.study import Study


def study(combiner, protocol=None):
    content = {
        "name": "s", "datasets": ["iris"], "protocol": protocol or {"kind": "nested"},
        "pools": {"p": {"estimator": "naive_bayes"}},
        "methods": {"A": {"pool": "p", "combiner": combiner}, "B": {"pool": "p", "combiner": {"kind": "vote"}}},
    }  # fmt: skip
    made = Study.from_mapping(content, "s")
    check_classes(made, "s")
    return made


def test_a_class_is_built_with_its_parameters_and_its_module_counts():
    made = study({"kind": "other", "class": "Voting", "parameters": {"voting": "hard"}})
    spec = made.methods["A"].combiner
    assert spec.content() == {
        "kind": "other",
        "class": "rotastack.combine.voting.Voting",
        "parameters": {"voting": "hard"},
    }
    assert make(spec).voting == "hard"
    assert list(named_modules("combine", spec.content())) == ["rotastack.combine.voting"]
    assert not made.has_second_level("p")
    assert len({code_of("combine", told(made, "combine", "iris", label).content()) for label in "AB"}) == 1


def test_the_class_tells_whether_it_is_trained():
    stacking = {"kind": "other", "class": "Stacking", "parameters": {"estimator": {"class": "logistic"}}}
    assert study(stacking).has_second_level("p")
    with pytest.raises(RotastackError, match="other needs nested cross-validation"):
        study(stacking, {"kind": "holdout"})


def test_a_vote_with_a_score_is_trained():
    for vote in (
        {"kind": "vote", "scoring": "accuracy"},
        {"kind": "other", "class": "Voting", "parameters": {"scoring": "accuracy"}},
    ):
        made = study(vote)
        assert made.has_second_level("p")
        with pytest.raises(RotastackError, match="A.combiner: .* needs nested cross-validation"):
            study(vote, {"kind": "holdout"})
    assert study({"kind": "vote"}).methods["A"].combiner.parameters == {"voting": "soft"}


@pytest.mark.parametrize(
    ("combiner", "message"),
    [
        ({"class": "Votin"}, "'Votin' is unknown; did you mean 'Voting'"),
        ({"class": "RandomRotation"}, "RandomRotation is not a combiner: method predict_proba is missing"),
        (
            {"class": "LogLinearWeights", "parameters": {"ridge": 0}},
            "parameters: The 'ridge' parameter of LogLinearWeights",
        ),
        ({"class": "BestGroups", "parameters": {"n_best": "all"}}, "parameters: The 'n_best' parameter of BestGroups"),
        ({}, "class"),
    ],
)
def test_mistakes_are_named(combiner, message):
    with pytest.raises(RotastackError, match=message):
        study({"kind": "other", **combiner})
