"""The report on files and commands, on a few rows."""

from benchmarks.files.book import FILES
from benchmarks.ways import record
from benchmarks.ways.command import main

# Those that need no data on file, and no minutes for a few rows.
PROBLEMS = {"A": ["help", "info"], "D": ["dense", "text"], "F": ["20,000 support vectors"]}


def test_sections_run_on_a_few_rows_and_write_their_tables(tmp_path, monkeypatch):
    monkeypatch.setattr("benchmarks.ways.command.keep_to_cores", lambda threads: None)
    kept, output = tmp_path / "files.json", tmp_path / "FILES.md"
    problems = [problem for some in PROBLEMS.values() for problem in some]
    few = ["--rows", "150", "--repetitions", "1", "--threads", "1", "--only", *PROBLEMS, "--problems", *problems]
    assert main(FILES, ["--data", str(tmp_path), *few, "--record", str(kept), "--output", str(output)]) == 0
    text = output.read_text()
    for letter, some in PROBLEMS.items():
        assert f"## {letter}. {FILES.sections[letter].title}" in text
        assert all(f"| {problem}: " in text for problem in some)
    entries = {(one.section, one.problem): one for one in record.read(kept)}
    assert entries["D", "dense"].of("mercer").figures["different"] == 0
