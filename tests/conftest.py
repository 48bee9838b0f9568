"""Workers of a parallel run compile into folders of their own: two processes that write one cache can corrupt it."""

import os
from pathlib import Path

if worker := os.environ.get("PYTEST_XDIST_WORKER"):
    home = os.environ.get("BALANCE_LAB_CACHE") or Path.home() / ".cache" / "balance-lab"
    os.environ["BALANCE_LAB_CACHE"] = str(Path(home) / f"tests-{worker}")
