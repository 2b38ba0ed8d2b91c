"""Pydantic models of the wire, of rows and of model outputs, the settings, and constants. Imports no other package.

Every process imports it before numpy, whose OpenBLAS reads at its import how many threads compute.
"""

import os

# Further threads spin between the small products of an embedding: on two busy cores a question took four times the
# processor time, which Postgres lacked. Several processes embed at once instead.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
