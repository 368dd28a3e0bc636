"""The store, which keeps decisions in a directory. Any number of processes may use a store at once."""

from __future__ import annotations

import ctypes
import json
from typing import TYPE_CHECKING, Any, Dict, Iterable, List, NamedTuple, Optional

from . import _abi
from ._device import raw_device
from ._errors import InvalidArgument, NotTuned
from ._handle import Handle, array_of_pointers, created, described, query, read_bytes
from ._library import call, libatc
from ._names import STORE_MODES, StoreMode, name_of, number
from ._option_fields import PlanOptions
from ._options import plan_options, switch
from ._problem import Problem
from ._text import PathLike, c_path, c_text, fixed_path

if TYPE_CHECKING:
    from typing_extensions import Unpack

# An entry of a store: {"key": {...}, "value": {"choice": ..., "candidates": [...], ...}}
Entry = Dict[str, Any]


class Imported(NamedTuple):
    """The counts of an import."""

    added: int  # the number of entries that were written: new entries, and entries that replaced an entry of the store
    kept: int  # the number of entries of the bundle that were not written, because the store's entry was kept


class Store:
    """A store, which keeps decisions in a directory. May be used from several threads at once.

        with atc.Store("tuned") as store:
            atc.tune(problems, store=store)

    If a call gets `store=`, the call uses that store. `use` makes a store the store of the whole process. `FileError`:
    the directory cannot be used. The end of `with`, or `close`, closes this handle when the calls that use the handle
    have returned. If the store is the store of the process, the process continues to use it. Plans do not need the
    handle."""

    def __init__(self, directory: PathLike, mode: StoreMode = "read-write", *, layers: Iterable[PathLike] = ()) -> None:
        """Opens the store. With "read-write" a missing directory is created. With "replay-only" a plan for a problem
        without a record raises `NotTuned`.

        `layers` are further directories, which are only read, such as a folder that several machines share. A look-up
        uses the decisions of all directories together. If a further directory cannot be used, it is left out and a
        warning is logged. With "replay-only" the constructor raises `FileError` instead."""
        names = [c_path("directory", directory), *[c_path("layers", layer) for layer in layers]]
        self._handle: Optional[Handle] = created("store_open_layers", "store_close",
                                                 (ctypes.c_char_p * len(names))(*names), len(names),
                                                 number("mode", mode, STORE_MODES))

    @classmethod
    def _of(cls, handle: Handle) -> Store:
        store = cls.__new__(cls)
        store._handle = handle
        return store

    def _live(self) -> Handle:
        """Returns the handle. The caller must keep the handle as long as it uses the handle's pointer."""
        handle = self._handle
        if handle is None:
            raise InvalidArgument("the store is closed: open it again")
        return handle

    def close(self) -> None:
        """Closes the handle. A second call does nothing."""
        self._handle = None

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_raised: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Store({self.directory!r}, {self.mode!r})" if self._handle else "<closed Store>"

    # ---- The store of the process ---------------------------------------------------------------------

    def use(self) -> Store:
        """Makes this store the store of the process. From now on plans, convolutions and tuning of this process read
        and write this store, also after `close`. This store replaces an earlier store of the process (also the store of
        ATC_STORE). Libraries should not call this method; the program decides which store it uses."""
        handle = self._live()
        call("store_use", handle.pointer)
        return self

    @staticmethod
    def use_none() -> None:
        """Ends the use of the store of the process. From now on the process uses no store."""
        call("store_use", None)

    @staticmethod
    def in_use() -> Optional[Store]:
        """Returns a new handle of the store of the process. None: the process uses no store."""
        out = ctypes.c_void_p()
        call("store_in_use", ctypes.byref(out))
        return Store._of(Handle(out.value, libatc().store_close)) if out.value else None

    # ---- The properties and the entries of the store ------------------------------------------------------

    @property
    def directory(self) -> str:
        return fixed_path(self._info().directory)

    @property
    def mode(self) -> str:
        return name_of(self._info().mode, STORE_MODES)

    def __len__(self) -> int:
        """The number of entries."""
        return int(self._info().entries)

    def __bool__(self) -> bool:
        """A store counts as true, even if it has no entry."""
        return True

    def _info(self) -> Any:
        handle = self._live()
        return described("store_describe", _abi.atc_store_info, handle.pointer)

    def entries(self) -> List[Entry]:
        """Returns all valid entries."""
        return list(json.loads(self._read("store_list")))

    def get(self, problem: Problem, device: Any = "cpu", **options: Unpack[PlanOptions]) -> Optional[Entry]:
        """Returns the entry that a plan with these options would use. None: the store has no such entry."""
        handle, raw_problem, raw_options = self._live(), problem._raw(), plan_options(dict(options))
        try:
            return dict(json.loads(read_bytes("store_get", handle.pointer, raw_device(device),
                                              ctypes.byref(raw_problem), ctypes.byref(raw_options))))
        except NotTuned:
            return None

    def put(self, entry: Entry, *, replace_firm: bool = False, trust_compiled: bool = False) -> None:
        """Writes an entry. The new entry replaces an entry with the same key. A provisional (uncertain) entry replaces
        a firm entry only if `replace_firm` is True. To write an entry that you have changed, pass only its "key" and
        "value", without the checksum. Compiled parts are code that runs on this machine, so they are written only if
        `trust_compiled` is True. `BadRecord`: `entry` is no valid entry. `FileError`: the entry could not be written,
        and only this process remembers the entry."""
        handle, encoded = self._live(), _encoded(entry)
        options = _abi.atc_store_put_options(ctypes.sizeof(_abi.atc_store_put_options), switch(replace_firm),
                                             switch(trust_compiled))
        call("store_put", handle.pointer, encoded, len(encoded), ctypes.byref(options))

    def remove(self, entry: Entry) -> bool:
        """Removes the entry that has the same key as `entry`. Returns False if the store has no such entry."""
        handle, encoded = self._live(), _encoded(entry)
        return bool(query("store_remove", ctypes.c_int32, handle.pointer, encoded, len(encoded)))

    def provisional(self) -> int:
        """The number of valid entries that are provisional (uncertain). To count them, every file of the store is
        read."""
        handle = self._live()
        return int(query("store_provisional", ctypes.c_uint64, handle.pointer))

    def digest(self) -> int:
        """A hash of the store. Stores with equal digests have equal choices for equal keys. The pins in force
        are a part of the digest."""
        handle = self._live()
        return int(query("store_digest", ctypes.c_uint64, handle.pointer))

    def verify(self) -> List[str]:
        """Checks every file of the store, and returns a line of text for each bad file."""
        return self._read("store_verify").decode("utf-8", "replace").splitlines()

    def prune(self, keep: int) -> int:
        """Removes bad files, all entries except the newest `keep`, and compiled files that no entry names and that
        are older than an hour. Returns the number of files that were removed."""
        handle = self._live()
        return int(query("store_prune", ctypes.c_uint64, handle.pointer, keep))

    # ---- Bundles --------------------------------------------------------------------------------------------

    def export_bundle(self) -> bytes:
        """Returns all valid entries, with their compiled parts, as one bundle."""
        return self._read("store_export")

    def import_bundle(self, bundle: bytes, *, replace: bool = False, join: bool = False,
                      trust_compiled: bool = False) -> Imported:
        """Adds the entries of a bundle. If the store already has an entry with the same key, the result depends on the
        options:

            default   the store's entry is kept, except if it is provisional (uncertain) and the bundle's entry is firm
            replace   the bundle's entry is written, except if it is provisional and the store's entry is firm
            join      the entry gets the decisions of both, in this order: firm before provisional, then by the number
                      of engines that were compared, then by the smaller risk, then by a hash. So the result does not
                      depend on the order of imports

        `BadRecord`: the bundle is damaged, and nothing was changed. Compiled parts are code that runs on this machine,
        so they are imported only if `trust_compiled` is True."""
        handle, added, kept = self._live(), ctypes.c_uint64(), ctypes.c_uint64()
        if replace and join:
            raise InvalidArgument("replace and join exclude each other: give one of them")
        present = _abi.ATC_REPLACE_JOIN if join else switch(replace)
        options = _abi.atc_store_import_options(ctypes.sizeof(_abi.atc_store_import_options), present,
                                                switch(trust_compiled))
        call("store_import", ctypes.byref(added), ctypes.byref(kept), handle.pointer, bytes(bundle), len(bundle),
             ctypes.byref(options))
        return Imported(added.value, kept.value)

    @staticmethod
    def merge(bundles: Iterable[bytes], *, trust_compiled: bool = False) -> bytes:
        """Returns one bundle with the decisions of all bundles, joined as by `import_bundle` with `join`. The result
        does not depend on the order of the bundles. Compiled parts are kept only if `trust_compiled` is True."""
        given = [bytes(one) for one in bundles]
        addresses, sizes = array_of_pointers(given)
        options = _abi.atc_store_merge_options(ctypes.sizeof(_abi.atc_store_merge_options), switch(trust_compiled))
        return read_bytes("store_merge", addresses, sizes, len(given), ctypes.byref(options))

    def _read(self, function: str) -> bytes:
        handle = self._live()
        return read_bytes(function, handle.pointer)


def _encoded(entry: Entry) -> bytes:
    return c_text("entry", json.dumps(entry))
