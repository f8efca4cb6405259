"""What ``rotastack doctor`` says."""

from rotastack.cli import main


def test_each_thing_has_a_line_and_a_problem_says_what_to_do(here, monkeypatch, capsys):
    assert main(["doctor"]) == 0
    found = [line.split()[1] for line in capsys.readouterr().out.splitlines()]
    assert found == ["environment:", "snakemake:", "folder:"]
    monkeypatch.setattr("rotastack.cli.doctor.lock", lambda stream: False)
    main(["doctor"])
    assert "GB free; the file system refuses flock, so Snakemake alone locks a run\n" in capsys.readouterr().out
    monkeypatch.setattr("rotastack.cli.doctor.find_spec", lambda name: None)
    assert main(["doctor"]) == 1
    assert "PROBLEM  snakemake: not installed; run `pip install 'rotastack[workflow]'`" in capsys.readouterr().out
