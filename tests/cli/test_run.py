"""The job behind `make run`."""

from mercer.cli.run import main


def test_run_tunes_trains_certifies_evaluates_and_draws(tmp_path, capsys):
    assert main(["--output", str(tmp_path)]) == 0
    out = capsys.readouterr().out
    for step in ("Tune", "Train", "Certify", "Evaluate", "Report"):
        assert f"\n{step}" in out
    assert (tmp_path / "boundary.png").stat().st_size > 10_000
