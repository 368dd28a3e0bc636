"""Borrows tensors of other libraries (numpy, torch, cupy, jax, ...) for a call, by DLPack."""

from __future__ import annotations

import ctypes
from typing import Any, Protocol, Tuple

from . import _abi
from ._errors import InvalidArgument

_READ_ONLY, _COPIED = 1, 2  # flags of DLPack 1
_CUDA_MANAGED = 13  # DLPack's device type of managed memory, which libatc does not have

# All modules of the process share the function objects in ctypes.pythonapi, so another module may change the argument
# types of these objects. So function objects of our own are made here.
_is_valid = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.c_char_p)(("PyCapsule_IsValid", ctypes.pythonapi))
_get_pointer = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(
    ("PyCapsule_GetPointer", ctypes.pythonapi))


class Tensor(Protocol):
    """An object with the methods `__dlpack__` and `__dlpack_device__`, which atc can borrow as a tensor."""

    def __dlpack__(self, *, stream: Any = None) -> Any: ...

    def __dlpack_device__(self) -> Tuple[int, int]: ...


class _Versioned(ctypes.Structure):
    """The struct DLManagedTensorVersioned of DLPack 1."""

    _fields_ = [("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("manager_ctx", ctypes.c_void_p),
                ("deleter", ctypes.c_void_p), ("flags", ctypes.c_uint64), ("dl_tensor", _abi.atc_tensor_view)]


class Borrowed:
    """A view of a tensor of another library. The view is valid as long as this object exists. This object keeps the
    DLPack capsule and never consumes the capsule. When the capsule is deleted, the library that made it frees the
    tensor."""

    __slots__ = ("view", "_capsule")

    def __init__(self, name: str, tensor: Any, stream: int, output: bool) -> None:
        """`name` is the name of the operand, for errors. On CUDA the library that owns the tensor makes `stream` wait
        for the work that the library has queued on its own stream."""
        # jax may use the memory of one array for several equal arrays, so an array of jax must not be written. But jax
        # does not mark the memory as read-only.
        if output and type(tensor).__module__.partition(".")[0] in ("jax", "jaxlib"):
            raise InvalidArgument(f"{name} is the output, but arrays of jax must not be written: give a tensor of "
                                  "another library, and hand it to jax afterwards (jax.dlpack.from_dlpack)")
        self._capsule = _capsule(name, tensor, stream)
        if _is_valid(self._capsule, b"dltensor_versioned"):
            managed = _Versioned.from_address(_get_pointer(self._capsule, b"dltensor_versioned"))
            if managed.major != 1:
                raise InvalidArgument(f"{name} is lent by DLPack {managed.major}, which this atc does not know")
            if output and managed.flags & (_READ_ONLY | _COPIED):
                raise InvalidArgument(f"{name} is the output, but the {type(tensor).__name__} lends "
                                      f"{'a copy' if managed.flags & _COPIED else 'memory that must not be written'}")
            self.view = managed.dl_tensor
        elif _is_valid(self._capsule, b"dltensor"):
            # The capsule points to a struct DLManagedTensor, which begins with the struct DLTensor.
            self.view = _abi.atc_tensor_view.from_address(_get_pointer(self._capsule, b"dltensor"))
        else:
            raise InvalidArgument(f"{name}: __dlpack__ of {type(tensor).__name__} returned no capsule of DLPack")

    @property
    def pointer(self) -> Any:
        return ctypes.byref(self.view)

    def memory(self, name: str) -> Tuple[int, int]:
        """Returns the address and the number of bytes of a dense tensor."""
        view, expected = self.view, 1
        for dim in reversed(range(view.ndim)):
            if view.strides and view.shape[dim] != 1 and view.strides[dim] != expected:
                raise InvalidArgument(f"{name} is not dense in memory")
            expected *= view.shape[dim]
        return (view.data or 0) + view.byte_offset, expected * (view.dtype.bits // 8) * view.dtype.lanes


def _capsule(name: str, tensor: Any, stream: int) -> Any:
    if not hasattr(tensor, "__dlpack__") or not hasattr(tensor, "__dlpack_device__"):
        raise TypeError(f"{name} is a {type(tensor).__name__}: it needs __dlpack__ and __dlpack_device__, as tensors "
                        "of numpy, torch, cupy and jax have them")
    try:
        # The default stream of CUDA has the number 1 in DLPack and the number 0 in atc.
        on_cuda = tensor.__dlpack_device__()[0] in (_abi.ATC_DEVICE_CUDA, _CUDA_MANAGED)
        arguments = {"stream": stream or 1} if on_cuda else {}
        try:
            return tensor.__dlpack__(max_version=(1, 0), **arguments)
        except TypeError:  # in libraries with an older DLPack, __dlpack__ has no parameter max_version
            return tensor.__dlpack__(**arguments)
    except (BufferError, RuntimeError, TypeError, ValueError) as error:
        raise InvalidArgument(f"{name} cannot be borrowed by DLPack: {error}") from error
