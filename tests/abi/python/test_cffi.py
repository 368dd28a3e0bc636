"""Tests that cffi can read atc1.h unchanged, and can call libatc in cffi's ABI mode: test_cffi.py LIBRARY
INCLUDE_DIR COMPILER"""

import re
import sys
from pathlib import Path

try:
    import cffi
except ImportError as error:
    print(f"skipped: {error} (scripts/setup brings cffi)")
    sys.exit(77)

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import headers  # noqa: E402


def main():
    library, include, compiler = sys.argv[1:]
    # Reads the header without compiler and preprocessor, as docs/bindings.md describes.
    _, declarations, _ = Path(include, "atc/atc1.h").read_text().split("/* ---- cdef ---- */")
    ffi = cffi.FFI()
    ffi.cdef(declarations)
    atc = ffi.dlopen(library)

    read = headers.read(include, compiler)
    for struct in read.structs:
        known = [name for name, _ in ffi.typeof(struct.name).fields]
        assert known == struct.fields, f"{struct.name}: cffi sees {known}, expected {struct.fields}"
    for function in read.functions:
        assert getattr(atc, f"atc1_{function.label}"), function.name
    for constant in read.constants:
        assert isinstance(getattr(atc, constant), int), constant
    assert (atc.ATC_UNLIMITED, atc.ATC_NONE) == (2**64 - 1, 2**64 - 2)

    settings = ffi.new("atc_settings*", {"struct_size": ffi.sizeof("atc_settings")})
    assert atc.atc1_settings_get(settings) == atc.ATC_OK
    assert settings.benchmark_limit_cudnn == 10
    assert atc.atc1_set_benchmark_cudnn(9) == atc.ATC_ERROR_INVALID_ARGUMENT
    assert "9" in ffi.string(atc.atc1_last_error()).decode()

    problem = ffi.new("atc_conv_problem*")
    assert atc.atc1_conv_problem_init_sized(problem, ffi.sizeof("atc_conv_problem"), 2) == atc.ATC_OK
    assert problem.struct_size == ffi.sizeof("atc_conv_problem")
    assert list(problem.kernel)[:2] == [1, 1]

    # Tools that only parse C must be able to read the header. The preprocessed header is plain C if the labels
    # (ATC_SYM) expand to nothing. The inline functions are left out, as in atc1.h, because cffi only accepts
    # declarations.
    text = headers.preprocess(include, compiler, ["-DATC_SYM(n)="])
    lines = "\n".join(line for _, line in headers.own_lines(text))
    cffi.FFI().cdef(re.sub(r"^static inline [^{]*\{[^}]*\}", "", lines, flags=re.M))
    print(f"cffi {cffi.__version__}: {len(read.functions)} functions, {len(read.structs)} structs, "
          f"{len(read.constants)} constants")


if __name__ == "__main__":
    main()
