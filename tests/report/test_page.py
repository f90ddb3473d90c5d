"""The page: complete, safe, small, and for everybody."""

import base64
import hashlib
import re
from itertools import pairwise

import pytest

from mercer.report import write_report
from mercer.report.writing import MOST_BYTES
from tests.report import samples
from tests.report.reading import read_page

SECTIONS = [
    "summary",
    "checks",
    "data",
    "choice",
    "machine",
    "evaluation",
    "baselines",
    "importance",
    "rows",
    "definitions",
    "usage",
    "versions",
]
# Elements and attributes by which a page loads or runs something.
ACTIVE = {"script", "link", "img", "iframe", "object", "embed", "form", "video", "audio", "base", "image", "use"}
LOADING = {"src", "srcset", "style", "action", "background", "xlink:href"}


def page_of(findings, folder, **options):
    return write_report(findings, folder / "report", **options)["html"].read_text("utf-8")


@pytest.fixture
def page(findings, tmp_path):
    return page_of(findings, tmp_path)


def test_sections_stand_in_their_order(page):
    root = read_page(page)
    assert [section.attributes["id"] for section in root.all("section")] == SECTIONS
    links = [link.attributes["href"] for nav in root.all("nav") for link in nav.all("a")]
    assert links == [f"#{key}" for key in SECTIONS]


def test_first_screen_has_score_baselines_certificate_and_verdict(two_classes, tmp_path):
    summary = next(read_page(page_of(two_classes, tmp_path)).all("section"))
    text = summary.text.replace("\N{NO-BREAK SPACE}", " ")
    assert two_classes.verdict in text
    assert "0.853 ± 0.010" in text
    assert "0.757 ± 0.012" in text
    assert "Certified" in text
    assert "within 0.0044 % of the best" in text
    assert "2 warnings" in text


def test_warnings_come_before_notes(two_classes, tmp_path):
    root = read_page(page_of(two_classes, tmp_path))
    classes = [article.attributes["class"] for article in root.all("article")]
    assert classes == ["notice warning", "notice warning", "notice note"]
    first = next(root.all("article")).text
    assert "M204" in first
    assert "What to do: Compare on more rows, or use the tree." in first


def test_a_certificate_that_does_not_hold_is_a_warning(two_classes, tmp_path):
    machine = samples.replace(two_classes.machine, holds=False, certificate={"relative_gap": 0.2, "violation": 0.5})
    text = next(read_page(page_of(samples.replace(two_classes, machine=machine), tmp_path)).all("section")).text
    assert "Not certified" in text
    assert "beyond the tolerance" in text


def test_page_loads_and_runs_nothing(page):
    root = read_page(page)
    for element in root.all():
        assert element.name not in ACTIVE
        assert not {name for name in element.attributes if name in LOADING or name.startswith("on")}
        assert element.attributes.get("href", "#").startswith("#")
    assert "url(" not in page
    assert "@import" not in page
    assert not re.search(r"https?:", page)


def test_policy_forbids_all_but_the_style_sheet_of_the_page(page):
    root = read_page(page)
    policy = next(meta.attributes["content"] for meta in root.all("meta") if "http-equiv" in meta.attributes)
    style = next(root.all("style")).text
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert policy == f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"


def test_ids_are_unique_and_links_lead_somewhere(page):
    root = read_page(page)
    ids = [element.attributes["id"] for element in root.all() if "id" in element.attributes]
    assert len(set(ids)) == len(ids)
    assert {link.attributes["href"][1:] for link in root.all("a")} <= set(ids)


def test_tables_have_heads_and_captions(page):
    for table in read_page(page).all("table"):
        assert next(table.all("caption")).text.strip()
        heads = list(table.all("th"))
        assert heads
        assert {head.attributes["scope"] for head in heads} == {"col", "row"}
        width = sum(head.attributes["scope"] == "col" for head in heads)
        for body in table.all("tbody"):
            for row in body.all("tr"):
                assert sum(int(cell.attributes.get("colspan", 1)) for cell in row.all("td", "th")) == width


def test_charts_are_labelled_or_hidden_from_screen_readers(page):
    charts = list(read_page(page).all("svg"))
    assert charts
    for chart in charts:
        assert chart.attributes.get("aria-hidden") == "true" or (
            chart.attributes["role"] == "img" and len(chart.attributes["aria-label"]) > 20
        )


def test_headings_go_down_one_step_at_a_time(page):
    levels = [int(heading.name[1]) for heading in read_page(page).all("h1", "h2", "h3", "h4")]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))


def test_scheme_can_be_chosen_without_a_script(page):
    root = read_page(page)
    choices = [choice for choice in root.all("input") if choice.attributes["type"] == "radio"]
    assert [choice.attributes["id"] for choice in choices] == ["scheme-auto", "scheme-light", "scheme-dark"]
    style = next(root.all("style")).text
    assert ":root:has(#scheme-dark:checked)" in style
    assert "prefers-color-scheme: dark" in style
    assert "@media print" in style


def test_page_stays_small_whatever_the_data(hard_report):
    assert hard_report["html"].stat().st_size <= MOST_BYTES
    root = read_page(hard_report["html"].read_text("utf-8"))
    assert [section.attributes["id"] for section in root.all("section")] == SECTIONS
    assert "more, which are in report.json" in root.text


def test_names_and_values_of_any_kind_are_text(hard_report):
    page = hard_report["html"].read_text("utf-8")
    root = read_page(page)
    assert not [element.name for element in root.all() if element.name in ACTIVE]
    assert "<script>alert(1)</script>" in next(root.all("h1")).text
    assert "اسم العمود" in root.text
    assert "👩‍👩‍👧" in root.text
    assert not set("\x00\u202e\udc80") & set(page)
    longest = max(len(child) for element in root.all("bdi") for child in element.children)
    assert longest <= 120


@pytest.mark.parametrize("n", [26, 80])
def test_many_classes_are_pooled_and_all_rows_are_counted(n, tmp_path):
    findings = samples.of_classes(n)
    root = read_page(page_of(findings, tmp_path))
    chart = next(svg for svg in root.all("svg") if "Confusion matrix" in svg.attributes.get("aria-label", ""))
    cells = [title.text for title in chart.all("title")]
    shown = min(n, 30)
    assert len(cells) == shown**2
    counts = [int(re.search(r": ([\d,]+) \(", cell)[1].replace(",", "")) for cell in cells]
    assert sum(counts) == sum(map(sum, findings.evaluation.confusion.counts))


def test_choice_and_cells_near_it_are_marked(two_classes, tmp_path):
    root = read_page(page_of(two_classes, tmp_path))
    chart = next(svg for svg in root.all("svg") if "of each C and gamma" in svg.attributes.get("aria-label", ""))
    marks = [mark.attributes["class"].split()[0] for mark in chart.all("rect")]
    choice = two_classes.choice
    limit = choice.score - 0.0087 / 5**0.5
    near = sum(score is not None and score >= limit for row in choice.scores for score in row)
    assert marks.count("chosen") == 1
    assert marks.count("near") == near > 1
    assert marks.count("unknown") == 1


def test_sections_without_findings_are_left_out(two_classes, tmp_path):
    bare = samples.replace(
        two_classes, importance=[], influential=[], mistakes=[], baselines=[], checks=[], next_steps=[]
    )
    root = read_page(page_of(bare, tmp_path))
    left_out = {"importance", "rows", "baselines", "checks"}
    assert [section.attributes["id"] for section in root.all("section")] == [
        key for key in SECTIONS if key not in left_out
    ]


def test_numbers_that_are_none_are_dashes(two_classes, tmp_path):
    nan = float("nan")
    metrics = [samples.replace(metric, value=nan, error=nan) for metric in two_classes.evaluation.metrics]
    odd = samples.replace(
        two_classes,
        evaluation=samples.replace(two_classes.evaluation, metrics=metrics),
        machine=samples.replace(two_classes.machine, certificate={"gap": nan, "primal": float("inf")}, convergence=[]),
        choice=samples.replace(two_classes.choice, C=[], gamma=[], scores=[], spreads=[], score=nan),
    )
    page = page_of(odd, tmp_path)
    assert ">nan<" not in page
    assert "NaN" not in page
    assert "—" in page
