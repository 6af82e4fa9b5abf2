"""A textile laboratory: virtual cloth in the tests that real cloth gets, and fabrics from the curves of real ones.

``tensile``, ``shear``, ``bend`` and ``cantilever`` give curves as arrays; ``report`` makes a whole test as ``taut lab`` does;
``fit`` finds a fabric from measured curves or from tables of KES and FAST, which ``read`` takes from CSV files.
"""

from ._curves import Curve, Fabric, bend, cantilever, fabric, report, shear, tensile
from ._fit import Fit, fit
from ._read import fast, kes, read

__all__ = [
    "Curve",
    "Fabric",
    "Fit",
    "bend",
    "cantilever",
    "fabric",
    "fast",
    "fit",
    "kes",
    "read",
    "report",
    "shear",
    "tensile",
]
