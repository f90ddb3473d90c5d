"""A real browser opens a report: at once, without a complaint, and without asking the network for anything."""

import html
import json
import re
import shutil
import subprocess

import pytest

from mercer.report import write_report
from tests.report import samples

CHROMIUM = shutil.which("chromium")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no chromium")

# Until all of a page is there and laid out; a shared machine gets twice the second that a page may take.
MOST_MILLISECONDS = 2_000
# A proxy that refuses everything, and as little as can be of what a browser does by itself.
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--disable-features=OptimizationHints,MediaRouter,Translate",
    "--proxy-server=127.0.0.1:9",
    "--enable-logging=stderr",
    "--v=0",
]
# Who asks where the browser does.
OWN = "not an origin"
# Frames a page, and writes down how long it took to load and how wide it came out.
FRAME = """<!doctype html><title>measuring</title><body style="margin:0"><script>
const start = performance.now();
const frame = document.createElement("iframe");
frame.style.cssText = "width:WIDTHpx;height:4000px;border:0";
frame.onload = () => {
  const root = frame.contentDocument.documentElement;
  const found = {across: root.scrollWidth, height: root.scrollHeight};
  found.milliseconds = performance.now() - start;  // asking for the size has laid everything out
  found.background = getComputedStyle(root).backgroundColor;
  const texts = [...root.querySelectorAll("svg.chart text")];
  found.texts = texts.length;
  found.cut = texts.filter(text => {
    const own = text.getBoundingClientRect(), chart = text.closest("svg").getBoundingClientRect();
    return own.left < chart.left - 2 || own.right > chart.right + 2 || own.bottom > chart.bottom + 2;
  }).map(text => text.textContent);
  const board = root.querySelector("#summary .beside .scroll");
  found.hidden = board ? board.scrollWidth - board.clientWidth : 0;
  document.title = JSON.stringify(found);
};
frame.src = "PAGE";
document.body.append(frame);
</script>"""


def opened(path, folder, *flags):
    """What the browser makes of a file, what it says, and the log of its network."""
    log = folder / "net.json"
    ran = subprocess.run(
        [
            CHROMIUM,
            *FLAGS,
            *flags,
            f"--user-data-dir={folder / 'profile'}",
            f"--log-net-log={log}",
            "--dump-dom",
            path.as_uri(),
        ],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    return ran.stdout, ran.stderr, log


def addresses(log):
    """What a page asked for, of the log of the network; what the browser asks for itself has no origin."""
    text = log.read_text()
    try:
        events = json.loads(text)["events"]
    except json.JSONDecodeError:
        # A browser that ends at once may leave its log open.
        events = json.loads(text.rstrip().rstrip(",") + "]}")["events"]
    asked = [event["params"] for event in events if "url" in event.get("params", {})]
    return {
        each["url"]
        for each in asked
        if each.get("initiator", OWN) != OWN or each.get("network_isolation_key", "").startswith("file:")
    }


def measured(path, folder, width):
    """How a report comes out in a frame of a width."""
    frame = folder / "frame.html"
    frame.write_text(FRAME.replace("WIDTH", str(width)).replace("PAGE", path.as_uri()))
    dom, _, _ = opened(frame, folder, "--allow-file-access-from-files")
    return json.loads(html.unescape(re.search(r"<title>(.*?)</title>", dom)[1]))


@pytest.fixture(scope="module", params=["two classes", "hard to show"])
def report(request, tmp_path_factory):
    if request.param == "hard to show":
        return request.getfixturevalue("hard_report")["html"]
    return write_report(samples.two_classes(), tmp_path_factory.mktemp("page") / "report")["html"]


def test_report_opens_without_a_complaint_and_without_the_network(report, tmp_path):
    dom, talk, log = opened(report, tmp_path)
    assert "<title>Predicting" in dom
    assert 'id="versions"' in dom
    assert "CONSOLE" not in talk
    assert {address for address in addresses(log) if not address.startswith("file:")} == set()


def test_what_a_page_asks_for_is_noticed(tmp_path):
    """The log that the test above reads does show a request."""
    page = tmp_path / "page.html"
    page.write_text('<title>x</title><img src="http://mercer.invalid/picture.png"><script>console.error("no")</script>')
    _, talk, log = opened(page, tmp_path)
    assert "http://mercer.invalid/picture.png" in addresses(log)
    assert "CONSOLE" in talk


@pytest.mark.parametrize("width", [360, 1280])
def test_report_opens_at_once_and_fits_the_window(report, width, tmp_path):
    found = measured(report, tmp_path, width)
    assert found["milliseconds"] < MOST_MILLISECONDS
    assert found["across"] <= width
    assert found["height"] > 3_000
    assert found["texts"] > 50
    assert found["cut"] == []


@pytest.mark.parametrize("width", [800, 1100, 1200, 1280])
def test_the_table_of_baselines_is_not_cut(width, tmp_path):
    path = write_report(samples.two_classes(), tmp_path / "report")["html"]
    assert measured(path, tmp_path, width)["hidden"] <= 0


def test_dark_is_dark(tmp_path):
    path = write_report(samples.two_classes(), tmp_path / "report")["html"]
    assert measured(path, tmp_path, 800)["background"] == "rgb(252, 251, 248)"
    path.write_text(
        path.read_text()
        .replace('id="scheme-auto" checked', 'id="scheme-auto"')
        .replace('id="scheme-dark"', 'id="scheme-dark" checked')
    )
    assert measured(path, tmp_path, 800)["background"] == "rgb(21, 24, 27)"
