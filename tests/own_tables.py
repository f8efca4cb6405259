"""Typical tables of users: a rare class, prices, genes, visits of patients, sales by date, reviews."""

import numpy as np
import pandas as pd


def churn(n=4000, seed=0):
    """Return customers; 9 % leave, mostly depending on the duration of the contract."""
    rng = np.random.default_rng(seed)
    tenure, age = rng.gamma(2, 18, n).round(), rng.normal(45, 14, n).round()
    charges, calls = rng.normal(60, 20, n).round(2), rng.poisson(1.2, n)
    plan, region = rng.choice(["basic", "plus", "max"], n, p=[0.5, 0.3, 0.2]), rng.choice(list("NESW"), n)
    logit = -2.2 - 0.045 * (tenure - 36) + 0.25 * (calls - 1.2) + 0.012 * (charges - 60) + 0.3 * (plan == "basic")
    table = {
        "tenure": tenure,
        "age": age,
        "monthly_charges": charges,
        "support_calls": calls,
        "plan": plan,
        "region": region,
        "paperless": rng.choice(["yes", "no"], n),
        "devices": rng.integers(1, 6, n),
        "discount": rng.uniform(0, 0.3, n).round(2),
        "referrals": rng.poisson(0.5, n),
        "churned": np.where(rng.random(n) < 1 / (1 + np.exp(-logit + 0.75)), "yes", "no"),
    }
    return pd.DataFrame(table), "churned"


def houses(n=2500, seed=0):
    """Return houses; the price depends on the place, the area, and their interaction."""
    rng = np.random.default_rng(seed)
    places = [f"place {k}" for k in range(30)]
    level = rng.lognormal(0, 0.45, 30)
    place, area, year = rng.integers(0, 30, n), rng.gamma(6, 22, n).round(), rng.integers(1900, 2024, n)
    heating = rng.choice(["gas", "oil", "pump", None], n)
    price = 1800 * area * level[place] * (1 + 0.003 * (year - 1960)) * rng.lognormal(0, 0.12, n) + 40_000 * (
        heating == "pump"
    )
    table = {
        "place": np.array(places)[place],
        "area": area,
        "year": year,
        "heating": heating,
        "rooms": (area / 25).round() + 1,
        "garden": rng.choice(["yes", "no"], n),
        "floor": rng.integers(0, 6, n),
        "price": price.round(-2),
    }
    return pd.DataFrame(table), "price"


def genes(n=80, columns=2000, seed=0):
    """Return few tissues with many genes; twelve genes differ between the two classes."""
    rng = np.random.default_rng(seed)
    y = np.repeat(["healthy", "ill"], [n // 2, n - n // 2])
    X = rng.standard_normal((n, columns))
    X[:, :12] += 1.1 * (y == "ill")[:, None]
    return pd.DataFrame(X.round(4), columns=[f"gene_{j}" for j in range(columns)]).assign(tissue=y), "tissue"


def visits(n_patients=120, seed=0):
    """Return several visits per patient; all visits of a patient have the same outcome."""
    rng = np.random.default_rng(seed)
    patient = np.repeat(np.arange(n_patients), rng.integers(3, 9, n_patients))
    own = rng.standard_normal((n_patients, 6))[patient]
    X = own + 0.15 * rng.standard_normal(own.shape)
    outcome = rng.random(n_patients)[patient] < 0.5
    table = pd.DataFrame(X.round(3), columns=[f"lab_{j}" for j in range(6)])
    return table.assign(patient_id=patient, outcome=np.where(outcome, "worse", "better")), "outcome"


def sales(n=1500, seed=0):
    """Return daily sales that increase from year to year."""
    rng = np.random.default_rng(seed)
    days = pd.date_range("2021-01-01", periods=n).to_series(index=range(n))
    level = 100 + 0.12 * np.arange(n) + 15 * (days.dt.dayofweek >= 5) + rng.normal(0, 6, n)
    table = {
        "day": days.dt.strftime("%Y-%m-%d"),
        "promotion": rng.choice(["yes", "no"], n),
        "temperature": (12 + 9 * np.sin(np.arange(n) / 58) + rng.normal(0, 3, n)).round(1),
    }
    return pd.DataFrame(table).assign(sold=level.round()), "sold"


def reviews(n=400, seed=0):
    """Return reviews with prices; more words of praise than of blame mean "liked", the price means nothing."""
    rng = np.random.default_rng(seed)
    praise = ["delicious", "friendly", "fresh", "perfect", "lovely", "warm", "generous", "excellent"]
    blame = ["bland", "rude", "stale", "cold", "dirty", "slow", "greasy", "noisy"]
    usual = [
        "the",
        "a",
        "was",
        "and",
        "with",
        "very",
        "place",
        "food",
        "waiter",
        "table",
        "dinner",
        "lunch",
        "soup",
        "fish",
        "wine",
        "menu",
        "street",
        "evening",
    ]
    y = rng.integers(0, 2, n)
    texts = [
        " ".join(
            rng.permutation(
                [*rng.choice(usual, 12), *rng.choice([blame, praise][k], 3), *rng.choice([praise, blame][k], 1)]
            )
        )
        for k in y
    ]
    prices = [f"€{price:,.2f}" for price in rng.gamma(2, 900, n)]
    return pd.DataFrame({"review": texts, "price": prices, "stars": np.where(y, "liked", "disliked")}), "stars"
