"""The file of an own table's study, when the rows are tested otherwise than before."""

from rotastack.workflow.use.study_file import study_file, write_study

STUDY = {
    "name": "t",
    "task": "classification",
    "datasets": [{"name": "t", "sources": [{"file": {"path": "t.csv", "target": "y"}}]}],
    "protocol": {"kind": "crossval", "folds": 3, "repeats": 1},
    "pools": {},
    "evaluation": {},
}


def test_a_file_of_test_rows_replaces_the_study_of_the_same_table(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_study(STUDY, study_file(STUDY))
    source = {"file": {"path": "t.csv", "target": "y", "test": "new.csv"}}
    given = {"kind": "given", "columns": ["part"], "splits": 1}
    beside = STUDY | {"datasets": [{"name": "t", "sources": [source]}], "protocol": given}
    assert study_file(beside).replaced == "3-fold cross-validation"
    write_study(beside, study_file(beside))
    assert study_file(STUDY).replaced == "the training and test rows of column part"
