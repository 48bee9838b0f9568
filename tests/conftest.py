"""Workers of a parallel run compile into folders of their own: two processes that write one cache can corrupt it. What
the lab or another worker has compiled already they copy from its folder: compiling everything takes minutes.
"""

import os
from pathlib import Path


def borrow(home, mine):
    """Let Numba look for what is not in the cache `mine` in `home` and in the other caches below it, too."""
    from numba.core.caching import IndexDataCacheFile

    load = IndexDataCacheFile.load

    def load_or_borrow(self, key):
        found, folder = load(self, key), Path(self._cache_path)
        if found is None and mine in folder.parents:
            for place in (home, *home.glob("tests-*")):
                there = str(place / folder.relative_to(mine))
                other = IndexDataCacheFile(there, self._index_name.removesuffix(".nbi"), self._source_stamp)
                if (found := load(other, key)) is not None:
                    self.save(key, found)
                    break
        return found

    IndexDataCacheFile.load = load_or_borrow


if worker := os.environ.get("PYTEST_XDIST_WORKER"):
    home = Path(os.environ.get("BALANCE_LAB_CACHE") or Path.home() / ".cache" / "balance-lab")
    os.environ["BALANCE_LAB_CACHE"] = str(home / f"tests-{worker}")
    borrow(home, home / f"tests-{worker}")
