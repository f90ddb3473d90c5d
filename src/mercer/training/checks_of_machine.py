"""What there is to say of the choice (M3..), the machine (M4..) and how well it predicts (M5..)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mercer.training.evaluation import NAMES
from mercer.training.findings import Check
from mercer.training.outcome import Outcome
from mercer.training.search import Choice

__all__ = ["checks_of_machine"]

# The standard deviation of the score over folds beyond which folds disagree.
_WIDE = 0.05
# The share of the training rows that are support vectors beyond which the machine remembers more than it learns.
_MOSTLY_SUPPORT = 0.9
# Scores on training rows and test rows may differ by this, or by so many standard errors.
_GAP, _ERRORS = 0.1, 3.0


def checks_of_machine(outcome: Outcome) -> Iterator[Check]:
    """One check a question, each with its verdict."""
    yield _edge(outcome)
    yield _folds(outcome)
    yield _part_of_the_rows(outcome)
    yield _proof_of_choice(outcome)
    yield _certificate(outcome)
    yield _kind(outcome)
    yield _fit(outcome)
    yield _expected(outcome)
    yield _constant(outcome)
    if outcome.rival("tree") is not None:
        yield _tree(outcome)
    if outcome.rival("linear") is not None:
        yield _linear(outcome)


# ---------------------------------------------------------------- the choice


def _edge(outcome: Outcome) -> Check:
    title, choice = "Edges of the grid", outcome.choice
    ends = _ends(choice)
    if not ends:
        return Check("M301", "fine", title, "The choice lies within the values that were looked at.")
    told = f"The choice is at an end of the values that were looked at: {' and '.join(ends.values())}."
    if choice.advice:
        return Check("M301", "note", title, told, " ".join(choice.advice))
    if set(ends) & set(choice.better_ends):
        return Check("M301", "note", title, f"{told} Machines beyond it differ little, and take long to find.")
    words = f"{told} It is no better there than beside it by more than chance, so the range did not grow."
    return Check("M301", "fine", title, words)


def _ends(choice: Choice) -> dict[str, str]:
    """Parameters whose choice is the first or the last of several values, in words."""
    values = {"C": choice.found.C, "gamma": choice.found.gamma}
    ends = {}
    for (name, several), place in zip(values.items(), choice.found.chosen, strict=True):
        if len(several) > 1 and place in (0, len(several) - 1):
            ends[name] = (
                f"{name} = {several[place]:.3g} is the {'least' if place == 0 else 'largest'} of {len(several)}"
            )
    return ends


def _folds(outcome: Outcome) -> Check:
    title, scores = "Spread over folds", outcome.choice.fold_scores
    spread = float(np.std(scores))
    told = (
        f"{NAMES[outcome.choice.found.score_name]} of the folds from {scores.min():.3f} to {scores.max():.3f}. Columns "
        "were encoded, without a look at the target, by all training rows, held-out folds among them."
    )
    if spread <= _WIDE:
        return Check("M302", "fine", title, told)
    todo = "Expect new rows to vary as much; more rows would help, or folds that keep groups of like rows together."
    return Check("M302", "note", title, told, todo)


def _part_of_the_rows(outcome: Outcome) -> Check:
    title, rows, all_rows = "Rows that parameters were chosen on", outcome.choice.rows, len(outcome.data.train)
    if rows >= all_rows:
        return Check("M303", "fine", title, f"All {all_rows:,} training rows.")
    words = f"{rows:,} of {all_rows:,} training rows, drawn at random; the machine was fitted to all of them."
    return Check("M303", "note", title, words, "Choose on more rows where time does not matter.")


def _proof_of_choice(outcome: Outcome) -> Check:
    title, found = "Proof of the choice", outcome.choice.found
    if outcome.choice.unfinished:
        words = f"There was no time for {outcome.choice.unfinished} of the cells. {found.certificate}"
        return Check("M304", "note", title, words, "Give more time.")
    level = "fine"
    return Check("M304", level, title, found.certificate)


# ---------------------------------------------------------------- the machine


def _certificate(outcome: Outcome) -> Check:
    title, found = "Certificate of the machine", outcome.fit.found
    if found.holds:
        return Check("M401", "fine", title, found.status)
    words = f"{found.status} {found.certificate_text}"
    return Check("M401", "warning", title, words, "Give more time or memory, or fewer rows.")


def _kind(outcome: Outcome) -> Check:
    title, rows = "Kind of machine", len(outcome.data.train)
    if outcome.fit.is_linear:
        words = f"A kernel machine of {rows:,} rows would not have ended in time, so this one is linear."
        return Check("M402", "warning", title, words, "Give more time, or train on some of the rows.")
    supports = outcome.fit.found.n_support
    words = f"{supports:,} of {rows:,} training rows are support vectors."
    if supports <= _MOSTLY_SUPPORT * rows:
        return Check("M402", "fine", title, words)
    todo = "The machine remembers more than it learns: the columns may say little of the target."
    return Check("M402", "note", title, words, todo)


# ---------------------------------------------------------------- predictions


def _fit(outcome: Outcome) -> Check:
    title, test, train = "Training rows against test rows", outcome.judged.counts, outcome.on_training_rows
    told = (
        f"{NAMES[outcome.choice.found.score_name]} {train.value:.3f} on training rows, {test.value:.3f} on test rows."
    )
    constant = outcome.rival("constant")
    error = float(np.hypot(test.error or 0.0, train.error or 0.0))
    is_apart = train.value - test.value > max(_GAP, _ERRORS * error)
    if constant is not None and not constant.is_worse:
        # It has learnt the training rows by heart, or not even those.
        how = "overfits" if is_apart else "underfits"
        words = f"{told} The best constant guess reaches {constant.found.value:.3f}: the machine {how}."
        return Check("M501", "warning", title, words, "Add columns that tell of the target, or rows.")
    if is_apart:
        words = f"{told} The machine overfits."
        return Check("M501", "note", title, words, "More rows would help, or fewer columns.")
    return Check("M501", "fine", title, told)


def _expected(outcome: Outcome) -> Check:
    title, test, choice = "Test rows against folds", outcome.judged.counts, outcome.choice
    fold_error = float(np.std(choice.fold_scores, ddof=1) / np.sqrt(len(choice.fold_scores)))
    error = float(np.hypot(test.error or 0.0, fold_error))
    told = f"{choice.found.score:.3f} was expected from the folds, {test.value:.3f} came."
    away = test.value - choice.found.score
    if abs(away) <= _ERRORS * error:
        return Check("M502", "fine", title, told)
    if away > 0:
        return Check("M502", "note", title, f"{told} The test rows are easier, or the machine gained from more rows.")
    todo = "Do the test rows come from another time or place than the training rows?"
    return Check("M502", "warning", title, f"{told} That is more than chance.", todo)


def _constant(outcome: Outcome) -> Check:
    title, predicted = "Variety of predictions", outcome.judged.predicted
    if outcome.data.is_classification:
        said = np.unique(predicted)
        missing = [label for code, label in enumerate(outcome.data.target.classes) if code not in said]
        if len(said) == 1:
            words = f"Every test row is said to be {outcome.data.target.classes[int(said[0])]}."
            return Check(
                "M503", "warning", title, words, "Let all classes weigh the same (--balanced), or add columns or rows."
            )
        if missing and len(missing) < len(outcome.data.target.classes):
            words = f"No test row is said to be {', '.join(missing[:8])}."
            return Check("M503", "note", title, words, "Let all classes weigh the same (--balanced) if these matter.")
        return Check("M503", "fine", title, "Every class is predicted.")
    if np.ptp(predicted) <= 1e-9 * max(1e-300, float(np.ptp(outcome.data.y_test))):
        words = f"Every prediction is {predicted[0]:.4g}."
        return Check("M503", "warning", title, words, "Add columns that tell of the target, or rows.")
    return Check("M503", "fine", title, f"Predictions from {predicted.min():.4g} to {predicted.max():.4g}.")


def _tree(outcome: Outcome) -> Check:
    title, tree = "Beside gradient boosting", outcome.rival("tree")
    assert tree is not None
    if tree.is_better:
        words = f"Gradient boosting with its defaults is better by {tree.difference}."
        return Check(
            "M504", "warning", title, words, "Where the score counts most, take that; this machine has the proof."
        )
    if tree.is_worse:
        return Check("M504", "fine", title, f"Gradient boosting with its defaults is worse by {tree.difference}.")
    words = f"Gradient boosting with its defaults may be as good: {tree.apart}."
    return Check("M504", "fine", title, words)


def _linear(outcome: Outcome) -> Check:
    title, linear = "Beside a linear machine", outcome.rival("linear")
    assert linear is not None
    if linear.is_worse:
        return Check("M505", "fine", title, f"The kernel machine is better by {linear.difference}.")
    if linear.is_better:
        words = f"A linear machine is better by {linear.difference}."
    else:
        words = f"A linear machine may be as good: {linear.apart}."
    return Check("M505", "note", title, words, "A linear machine is smaller, faster, and easier to explain.")
