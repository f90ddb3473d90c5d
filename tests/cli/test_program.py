"""The program as a whole: its help, its commands, how they end and what they import."""

import errno
import json
import re
import sys
import warnings
from importlib.metadata import version

import click
import pytest

import mercer.cli
from mercer.cli.app import COMMANDS
from mercer.cli.ending import Ending, ended
from mercer.errors import InputError, MissingPackageError, ModelFileError, ParameterError


def test_help_names_every_command_and_every_exit_code(command):
    said = command("--help")
    assert said.code == 0
    for name, words in COMMANDS.items():
        assert re.search(rf"^  {name} +{re.escape(words)}$", said.out, re.MULTILINE)
    told = {int(code) for code in re.findall(r"^ +(\d+)  +\S", said.out, re.MULTILINE)}
    assert told == set(Ending)
    assert "_MERCER_COMPLETE=bash_source" in said.out


@pytest.mark.parametrize("name", [None, *(name for name in COMMANDS if not name.startswith("svm-"))])
def test_help_fits_eighty_columns(name, command):
    said = command(*([name] if name else []), "--help")
    assert said.code == 0
    assert said.err == ""
    assert max(map(len, said.out.splitlines())) <= 80


def test_no_arguments_show_the_help_and_end_as_a_wrong_command_line(command):
    said = command()
    assert said.code == 2
    assert "Commands:" in said.err
    assert said.out == ""


def test_version_is_that_of_the_package(command):
    assert command("--version") == (0, f"mercer {version('mercer')}\n", "")


def test_an_unknown_command_suggests_the_nearest_or_lists_all(command):
    said = command("trian", "people.csv")
    assert said.code == 2
    assert said.err == "error: no such command: 'trian'. Did you mean 'train'?\nSee mercer --help.\n"
    assert ", ".join(COMMANDS) in command("zzz").err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["train"], "error: missing argument 'TABLE'.\nSee mercer train --help.\n"),
        (["train", "iris", "--seed", "-1"], "error: invalid value for '--seed'"),
        (["train", "iris", "--threads", "0"], "error: invalid value for '--threads'"),
        (["train", "iris", "--time-limit", "0"], "error: invalid value for '--time-limit'"),
        (["train", "iris", "--memory", "0"], "error: invalid value for '--memory'"),
        (["predict", "a", "b", "--sets", "1"], "error: invalid value for '--sets'"),
        (["inspect", "a", "--nonsense"], "error: no such option"),
    ],
)
def test_a_wrong_command_line_ends_with_2_and_points_to_the_help(arguments, words, command):
    said = command(*arguments)
    assert said.code == 2
    assert said.err.startswith(words)
    assert said.err.endswith("--help.\n")
    assert said.out == ""


def test_info_tells_what_a_bug_report_needs(command):
    said = command("info")
    assert said.code == 0
    assert max(map(len, said.out.splitlines())) <= 80
    found = json.loads(command("info", "--json").out)
    assert found["mercer"] == version("mercer")
    assert found["simd"] in found["simd levels"]
    assert found["threads"] >= 1
    assert found["packages"]["numpy"]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_shell_completion_prints_a_script(shell, monkeypatch, capsys):
    monkeypatch.setenv("_MERCER_COMPLETE", f"{shell}_source")
    monkeypatch.setattr(sys, "argv", ["mercer"])
    # bash asks for its version, which it cannot in every sandbox.
    monkeypatch.setattr("click.shell_completion.BashComplete._check_version", staticmethod(lambda: None))
    with pytest.raises(SystemExit) as raised:
        mercer.cli.main()
    assert raised.value.code == 0
    assert "_MERCER_COMPLETE" in capsys.readouterr().out


def test_shell_completion_offers_commands(monkeypatch, capsys):
    for name, value in {"_MERCER_COMPLETE": "bash_complete", "COMP_WORDS": "mercer in", "COMP_CWORD": "1"}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys, "argv", ["mercer"])
    with pytest.raises(SystemExit):
        mercer.cli.main()
    offered = capsys.readouterr().out
    assert "inspect" in offered
    assert "info" in offered
    assert "train" not in offered


# ---------------------------------------------------------------- endings


def raising(error, cause=None):
    def body():
        raise error from cause

    return body


FULL = OSError(errno.ENOSPC, "No space left on device", "model.mercer")


@pytest.mark.parametrize(
    ("error", "code", "words"),
    [
        (InputError("Bad rows."), Ending.INPUT, "error: Bad rows."),
        (ModelFileError("No model."), Ending.INPUT, "error: No model."),
        (ParameterError("tol: no."), Ending.USAGE, "error: tol: no."),
        (MissingPackageError("onnx is not there."), Ending.USAGE, "error: onnx is not there."),
        (click.UsageError("No, not so."), Ending.USAGE, "error: no, not so."),
        (KeyboardInterrupt(), Ending.INTERRUPTED, "interrupted"),
        (FULL, Ending.FILE, "error: model.mercer: No space left on device. The disk is full: make room"),
        (PermissionError(errno.EACCES, "Permission denied", "x"), Ending.FILE, "error: x: Permission denied. Check"),
        (MemoryError(), Ending.INPUT, "error: there is not enough memory."),
    ],
)
def test_errors_become_a_sentence_and_a_code(error, code, words, capsys):
    assert ended(raising(error)) == code
    said = capsys.readouterr()
    assert said.err.startswith(words)
    assert said.err.count("\n") == 1
    assert said.out == ""


def test_an_error_of_the_system_behind_one_of_ours_is_one_of_files(capsys):
    assert ended(raising(ModelFileError("Cannot be written."), FULL)) == Ending.FILE
    # A packed file that is damaged is an OSError as well, but not the system's.
    assert ended(raising(InputError("Damaged."), OSError("not gzip"))) == Ending.INPUT


def test_what_nobody_foresaw_is_told_as_a_bug_with_its_place(capsys):
    assert ended(raising(ZeroDivisionError("oh"))) == Ending.BUG
    said = capsys.readouterr().err
    assert "ZeroDivisionError: oh" in said
    assert "report it" in said


def test_warnings_are_sentences(capsys):
    def body():
        warnings.simplefilter("always")
        warnings.warn("The scale is odd.", stacklevel=1)

    assert ended(body) == Ending.FINE
    assert capsys.readouterr().err == "warning: The scale is odd.\n"


def test_a_reader_who_has_seen_enough_is_no_error(capsys):
    assert ended(raising(BrokenPipeError(errno.EPIPE, "Broken pipe"))) == Ending.FINE
    assert capsys.readouterr().err == ""
