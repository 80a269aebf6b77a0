"""Proofs that a side wins or doesn't lose: their checker and the search for them.

The checker is ``checker/check_proof.py``, which imports nothing of the package. A wheel has a copy of it here.
"""

from pathlib import Path
from typing import TYPE_CHECKING

__path__.append(str(Path(__file__).parents[2] / "checker"))

if TYPE_CHECKING:
    import check_proof as check_proof
else:
    from kinarow.proofs import check_proof as check_proof
