"""A group (ranks that decide together) of the ranks of a torch.distributed job. The group uses the job's key-value
store."""

from __future__ import annotations

import datetime
import importlib
import os
from typing import Any, Optional

from ._errors import InvalidArgument
from ._group import Group


class TorchGroup(Group):
    """A group of all ranks of `torch.distributed`, or of some ranks that have their own store.

    store: a key-value store of c10d. No other ranks may use the store with this prefix. Default: the store of the
    initialized process group. atc uses a clone of the store: a wait on the store itself would block NCCL's monitor,
    which polls the store."""

    def __init__(self, store: Any = None, rank: Optional[int] = None, size: Optional[int] = None, bound: float = 60,
                 prefix: Optional[str] = None) -> None:
        distributed = importlib.import_module("torch.distributed")
        if store is None or rank is None or size is None:
            if not (distributed.is_available() and distributed.is_initialized()):
                raise InvalidArgument("the group has no store, rank and size: call torch.distributed."
                                      "init_process_group first, or pass all three")
            store = distributed.distributed_c10d._get_default_store() if store is None else store
            rank = distributed.get_rank() if rank is None else rank
            size = distributed.get_world_size() if size is None else size
        super().__init__(rank, size, _prefix_of_job() if prefix is None else prefix, bound)
        clone = getattr(store, "clone", None)
        self._store = distributed.PrefixStore("atc", clone() if clone else store)

    def create(self, key: str, value: bytes) -> bytes:
        return bytes(self._store.compare_set(key, "", value))

    def get(self, key: str, timeout: float) -> Optional[bytes]:
        if timeout > 0:
            try:
                self._store.wait([key], datetime.timedelta(seconds=timeout))
            except RuntimeError:
                # Either the key did not appear within the time, or another error occurred (for example the connection
                # was lost). Another error is raised again by the calls of `check` and `get` below.
                pass
        return bytes(self._store.get(key)) if self._store.check([key]) else None


def _prefix_of_job() -> str:
    """Returns a prefix of keys: the name of this job and the number of the attempt to run it. torchrun counts the
    attempts."""
    job = os.environ.get("TORCHELASTIC_RUN_ID", "job")[:200]
    return f"{job}/{os.environ.get('TORCHELASTIC_RESTART_COUNT', '0')}"
