"""Tests that ctypes finds libatc's functions by their names in the library: test_ctypes.py
LIBRARY"""

import ctypes
import sys


def main():
    atc = ctypes.CDLL(sys.argv[1])
    atc.atc1_last_error.restype = ctypes.c_char_p
    atc.atc1_status_name.restype = ctypes.c_char_p
    atc.atc1_abi_version.restype = ctypes.c_uint32
    assert atc.atc1_abi_version() == 1

    value = ctypes.c_int32(-1)
    assert atc.atc1_set_benchmark_cudnn(ctypes.c_int32(1)) == 0
    assert atc.atc1_get_benchmark_cudnn(ctypes.byref(value)) == 0
    assert value.value == 1
    status = atc.atc1_set_benchmark_cudnn(ctypes.c_int32(7))
    assert atc.atc1_status_name(status) == b"ATC_ERROR_INVALID_ARGUMENT", status
    assert b"7" in atc.atc1_last_error()
    assert not hasattr(atc, "atc_set_benchmark_cudnn"), "the plain name is torch-sys's"


if __name__ == "__main__":
    main()
