"""Tables that the tests of a training run share."""

import numpy as np

from mercer.tables import Column, ColumnKind, Reading, Table


def number(name, values):
    return Column(name, ColumnKind.NUMBER, np.asarray(values, dtype=np.float64))


def text(name, values):
    words = tuple(sorted({value for value in values if value is not None}))
    codes = np.array([-1 if value is None else words.index(value) for value in values], dtype=np.int32)
    return Column(name, ColumnKind.TEXT, codes, words)


def boolean(name, values, words=("no", "yes")):
    return Column(name, ColumnKind.BOOLEAN, np.asarray(values, dtype=np.float64), words)


def date(name, values):
    return Column(name, ColumnKind.DATE, np.asarray(values, dtype="datetime64[us]"))


def table(*columns, source="made.csv"):
    return Table(tuple(columns), Reading(source, "CSV", ("Separated by commas.",)))


def people(rows=240, seed=0, noise=0.05):
    """A mixed table with missing values whose target, buys, comes of age and town, a circle that no line cuts off."""
    random = np.random.default_rng(seed)
    age, income = random.uniform(20, 80, rows), random.normal(3000, 800, rows)
    town = random.choice(["Ulm", "Bonn", "Kiel"], rows)
    buys = (np.abs(age - 50) < 15) ^ (town == "Kiel") ^ (random.random(rows) < noise)
    shown = np.where(random.random(rows) < 0.1, np.nan, income)
    names = [f"person {k}" for k in range(rows)]
    labels = np.where(buys, "yes", "no").tolist()
    towns = text("town", town.tolist())
    return table(number("age", age), number("income", shown), towns, text("name", names), text("buys", labels))


def prices(rows=240, seed=0, unit=1.0):
    """A mixed table whose target, price, is a smooth function of two columns and a category."""
    random = np.random.default_rng(seed)
    size, age = random.uniform(30, 150, rows), random.uniform(0, 60, rows)
    kind = random.choice(["flat", "house"], rows)
    price = 1000 + 20 * size - 0.2 * (age - 30) ** 2 + 300 * (kind == "house") + random.normal(0, 50, rows)
    return table(number("size", size), number("age", age), text("kind", kind.tolist()), number("price", unit * price))
