"""atc's recorder of a LibTorch program (atc/torch.h), for the torch that this Python has loaded."""

import ctypes
import json
import pathlib
import tempfile


class Recorder:
    def __init__(self, bridge: pathlib.Path):
        self._bridge = ctypes.CDLL(str(bridge.resolve()))
        # dlsym searches the libraries that the bridge is linked with, too, so it finds libatc's functions.
        self._bridge.atc1_last_error.restype = ctypes.c_char_p

    def _check(self, status: int) -> None:
        if status != 0:
            raise SystemExit(f"the recorder: {self._bridge.atc1_last_error().decode()}")

    def rows(self, program) -> list:
        """The recorded rows of the convolutions that `program()` runs."""
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "recorded.json"
            self._check(self._bridge.atc1_torch_record_start(str(file).encode()))
            try:
                program()
            finally:
                status = self._bridge.atc1_torch_record_stop(None)
            self._check(status)
            return json.loads(file.read_text())["problems"]
