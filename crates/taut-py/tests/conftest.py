"""What tests share."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

import taut

REPOSITORY = Path(__file__).resolve().parents[3]


@pytest.fixture
def sheet() -> tuple[np.ndarray, np.ndarray]:
    """A square metre of 9 × 9 vertices, lying."""
    return taut.limit.grid(9, 9)


@pytest.fixture
def denim(sheet: tuple[np.ndarray, np.ndarray]) -> taut.Model:
    """It, of denim."""
    builder = taut.ModelBuilder()
    builder.add_cloth("sheet", *sheet, fabric="denim")
    return builder.build("f64")


@pytest.fixture(scope="session")
def program() -> Path:
    """The program `taut`, if it has been built beside this package."""
    found = Path(os.environ.get("CARGO_TARGET_DIR", REPOSITORY / "target")) / "debug" / "taut"
    if not found.is_file():
        pytest.skip("the program `taut` has not been built")
    return found
