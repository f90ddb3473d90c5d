"""The report on smooth machines, on a few rows."""

import pytest

from benchmarks.smooth.book import SMOOTH
from benchmarks.smooth.processes import by_gpytorch, by_tinygp
from benchmarks.smooth.rows import eight_features
from benchmarks.smooth.sections.likelihoods import _kernel
from benchmarks.ways import record
from benchmarks.ways.command import main
from benchmarks.ways.race import OURS
from mercer import GaussianProcessRegressor

# Those that need no data on file, and no minutes for a few rows.
LETTERS = "ABCEF"


@pytest.mark.filterwarnings("ignore::mercer.NumericsWarning")  # of a choice among estimates of few rows
def test_sections_run_on_a_few_rows_and_write_their_tables(tmp_path, monkeypatch):
    monkeypatch.setattr("benchmarks.ways.command.keep_to_cores", lambda threads: None)
    for name in ("by_tinygp", "by_gpytorch"):  # which take long to import, and to compile
        monkeypatch.setattr(f"benchmarks.smooth.sections.likelihoods.{name}", lambda scales: None)
    monkeypatch.setattr("benchmarks.ways.book.installed", lambda module: None)
    kept, output = tmp_path / "smooth.json", tmp_path / "SMOOTH.md"
    few = ["--rows", "150", "--repetitions", "1", "--threads", "1", "--only", *LETTERS]
    assert main(SMOOTH, ["--data", str(tmp_path), *few, "--record", str(kept), "--output", str(output)]) == 0
    text = output.read_text()
    for letter in LETTERS:
        section = SMOOTH.sections[letter]
        assert f"## {letter}. {section.title}" in text
        for problem in section.problems:
            assert f"| {problem}: " in text
    entries = {(one.section, one.problem): one for one in record.read(kept)}
    assert entries["A", "5,000 rows"].of(OURS).figures["relative residual"] < 1e-10
    assert entries["C", "50,000 rows"].of(OURS).figures["relative residual"] < 1e-6
    assert entries["F", "1,000 rows"].of(OURS).figures["largest difference"] < 1e-6


@pytest.mark.filterwarnings("ignore")  # theirs, and of length scales that run off
@pytest.mark.parametrize("peer", [by_tinygp, by_gpytorch])
@pytest.mark.parametrize("scales", [1, 8])
def test_peers_climb_the_same_likelihood(peer, scales):
    search = peer(scales)
    if search is None:
        pytest.skip("the library is not installed")
    X, y = eight_features(120)
    ours = GaussianProcessRegressor(_kernel(scales)).fit(X, y)
    assert search(X, y).likelihood == pytest.approx(ours.log_marginal_likelihood_value_, abs=1e-2)
