"""Print where this Python has a LibTorch (the folder with its include/ and lib/), or nothing; torch is not loaded."""

import importlib.util

spec = importlib.util.find_spec("torch")
if spec is not None and spec.submodule_search_locations:
    print(list(spec.submodule_search_locations)[0])
