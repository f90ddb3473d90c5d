"""What a person sees: bars, paragraphs and sentences on a terminal, and plain lines elsewhere."""

import fcntl
import io
import json
import os
import pty
import re
import struct
import subprocess
import sys
import termios

import pytest

from mercer.cli.progress import TRAINING, TUNING, Course, time_told
from mercer.cli.terminal import Talk, paragraph, print_json, wrapped

CODES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
WORDS = "A sentence that is longer than a narrow terminal is wide, as sentences that tell what to do happen to be."


class Terminal(io.StringIO):
    def isatty(self):
        return True


# ---------------------------------------------------------------- the course of a run


class Clock:
    def __init__(self):
        self.now = 100.0

    def __call__(self):
        return self.now


def test_stages_go_on_where_the_one_before_ended():
    course = Course({"read": 1, "search": 2, "fit": 1})
    steps = (("read", 0), ("read", 1), ("search", 0), ("search", 0.5), ("search", 1), ("fit", 0), ("fit", 1))
    reached = [course.reach(*step) for step in steps]
    assert reached == pytest.approx([0, 0.15, 0.25, 0.4, 0.55, 0.75, 0.9])


def test_a_course_never_goes_back():
    course = Course({"search": 1, "fit": 1})
    told = [course.reach("search", done) for done in (0, 1, 0.5, 1, 0, 1)]  # more was found to do, twice
    assert told == sorted(told)
    assert len(set(told)) == 5
    assert told[-1] < 0.5
    assert course.reach("nobody knows", 0.9) == told[-1]
    assert course.reach("fit", -1.0) == 0.5
    assert course.reach("fit", 7.0) == pytest.approx(0.8)


def test_the_time_left_follows_from_the_pace():
    clock = Clock()
    course = Course({"search": 1}, clock=clock)
    clock.now += 10
    course.reach("search", 0.01)
    assert course.seconds_left is None
    course.reach("search", 0.25 / 0.6)
    assert (course.seconds, course.seconds_left) == (10.0, pytest.approx(30.0))
    limited = Course({"search": 1}, limit=15, clock=clock)
    clock.now += 10
    limited.reach("search", 0.25)
    assert limited.seconds_left == 5.0


def test_shares_are_of_one_whole_and_name_the_stages_of_a_run(people_csv):
    from mercer.tables import read_table
    from mercer.training import TrainingOptions, train

    assert sum(TRAINING.values()) == pytest.approx(1)
    heard = []
    train(
        read_table(people_csv),
        "buys",
        options=TrainingOptions(time_limit=5),
        progress=lambda stage, done, words: heard.append(stage),
    )
    stages = list(dict.fromkeys(heard))
    assert ["read", *stages] == list(TRAINING)
    assert list(TUNING) == ["read", "encode", "search"]


@pytest.mark.parametrize(
    ("seconds", "told"), [(0.2, "0 s"), (59.4, "59 s"), (60, "1:00 min"), (3599, "59:59 min"), (3600, "1:00 h")]
)
def test_times_as_people_read_them(seconds, told):
    assert time_told(seconds) == told


# ---------------------------------------------------------------- words


def test_sentences_are_wrapped_on_a_terminal_only(monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    assert wrapped(WORDS, io.StringIO()) == WORDS
    lines = wrapped(WORDS, Terminal()).splitlines()
    assert max(map(len, lines)) <= 40
    assert " ".join(lines) == WORDS


def test_paragraphs_fit_eighty_columns_and_keep_what_is_copied_whole(monkeypatch):
    plain = CODES.sub("", paragraph("Score", WORDS))
    assert plain.startswith("Score       A sentence")
    assert [len(line) <= 80 for line in plain.splitlines()] == [True, True]
    assert plain.splitlines()[1].startswith(" " * 12)
    path = "/a/" + "long/" * 30 + "path"
    assert path in paragraph("Model", path)
    assert paragraph("Next", WORDS, is_wrapped=False).count("\n") == 0
    assert "\x1b" in paragraph("Score", "x")
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in paragraph("Score", "x")


def test_json_is_strict_whatever_it_is_given(capsys):
    print_json({"a": [float("nan"), float("inf"), 1.5], "b": ("x", None), 3: "\udcff", "ü": True})
    said = capsys.readouterr().out
    assert json.loads(said) == {"a": [None, None, 1.5], "b": ["x", None], "3": "?", "ü": True}
    assert "ü" in said


def test_json_is_ascii_where_the_output_is(monkeypatch):
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding="ascii"))
    print_json({"ü": 1})
    sys.stdout.flush()
    assert json.loads(raw.getvalue()) == {"ü": 1}


def test_quiet_says_nothing(capsys):
    talk = Talk(True)
    with talk.bar(TRAINING):
        talk.say("x")
        talk.progress("read", 0.5)
    assert capsys.readouterr() == ("", "")


def test_a_bar_tells_the_stage_in_words_and_lets_talk_pass(monkeypatch):
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("TERM", "xterm")
    talk = Talk(False)
    with talk.bar(TRAINING, limit=100):
        talk.progress("search", 0.5, "3 of 6 fits, best 0.912")
        talk.say("people.csv: [bold] is no markup.")
    with talk.bar(TRAINING):
        talk.progress("search", 0.6, "words of a stage that are far too many for the bar")
    talk.progress("search", 1.0)
    text = CODES.sub("", terminal.getvalue())
    assert "search: 3 of 6 fits, best 0.912" in text
    assert "26 % 0 s left" in text
    assert "search: words of a stage that are far …  ━" in text
    assert "people.csv: [bold] is no markup.\n" in text


# ---------------------------------------------------------------- a real terminal


def on_terminal(program, *arguments, columns=80, **variables):
    """Runs the program on a terminal; returns its code and all that it wrote."""
    ours, its = pty.openpty()
    fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    environment = {**program.environment, "TERM": "xterm-256color", **variables}
    process = subprocess.Popen(
        [*program.start, *map(str, arguments)], stdin=its, stdout=its, stderr=its, env=environment
    )
    os.close(its)
    written = b""
    while True:
        try:
            some = os.read(ours, 65536)
        except OSError:  # the end of a terminal
            break
        if not some:
            break
        written += some
    os.close(ours)
    return process.wait(60), written.decode().replace("\r\n", "\n")


@pytest.fixture(scope="module")
def seen(program, tables, tmp_path_factory):
    """A training run, as a terminal of eighty columns gets it."""
    folder = tmp_path_factory.mktemp("seen")
    return on_terminal(program, "train", tables / "people.csv", "--target", "buys", "-o", folder)


def test_a_run_on_a_terminal_fits_its_columns(seen):
    code, text = seen
    assert code == 0
    lines = [CODES.sub("", line) for line in re.split(r"[\r\n]", text)]
    wide = [line for line in lines if len(line) > 80]
    assert all("/" in line for line in wide)  # paths that are copied


def test_the_bar_shows_the_stage_its_share_and_the_time(seen):
    frames = [CODES.sub("", line) for line in re.split(r"[\r\n]", seen[1]) if "━" in line]
    assert len(frames) > 3
    shares = [int(re.search(r"(\d+) %", frame)[1]) for frame in frames]
    assert shares == sorted(shares)
    assert len({frame.partition(":")[0] for frame in frames} & set(TRAINING)) >= 2
    assert all(re.search(r"\d+ s$|\d+ s left$", frame.rstrip()) for frame in frames)


def test_the_bar_is_gone_at_the_end_and_titles_are_bold(seen):
    end = seen[1].rpartition("━")[2]
    assert "\x1b[2K" in end
    assert "\x1b[1mData" in end
    assert "\x1b[?25h" in end  # the cursor is back


def test_no_color_is_heard(program, models):
    plain = on_terminal(program, "inspect", models / "people.mercer", NO_COLOR="1")
    bold = on_terminal(program, "inspect", models / "people.mercer")
    assert plain[0] == bold[0] == 0
    assert "\x1b" not in plain[1]
    assert "\x1b[1m" in bold[1]


def test_errors_are_wrapped_on_a_narrow_terminal(program, tmp_path):
    code, text = on_terminal(program, "inspect", tmp_path, columns=50)
    assert code == 4
    assert text.endswith("name a file.\n")
    assert all(len(line) <= 50 or "/" in line for line in text.splitlines())
