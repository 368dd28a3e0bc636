"""cffi parses the headers as they are and calls libatc: test_cffi.py LIBRARY INCLUDE_DIR COMPILER"""

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
    # As the design says it: without its labels the preprocessed header is plain C. cffi knows the
    # types of <stdint.h> and <stddef.h> itself.
    text = headers.preprocess(include, compiler, ["-DATC_SYM(n)="])
    plain = "\n".join(line for _, line in headers.own_lines(text))
    ffi = cffi.FFI()
    ffi.cdef(plain)

    read = headers.read(include, compiler)
    for struct in read.structs:
        known = [name for name, _ in ffi.typeof(struct.name).fields]
        assert known == struct.fields, f"{struct.name}: cffi sees {known}, expected {struct.fields}"

    # The library knows the functions by their ELF names.
    by_elf_name = cffi.FFI()
    declared = "|".join(function.name for function in read.functions)
    by_elf_name.cdef(re.sub(rf"\b({declared})(?=\s*\()",
                            lambda match: match.group(1).replace("atc_", "atc1_", 1), plain))
    atc = by_elf_name.dlopen(library)
    for function in read.functions:
        assert getattr(atc, f"atc1_{function.label}"), function.name

    problem = by_elf_name.new("atc_conv_problem*")
    assert atc.atc1_conv_problem_init(problem, 2) == atc.ATC_OK
    assert problem.struct_size == by_elf_name.sizeof("atc_conv_problem")
    assert list(problem.kernel)[:2] == [1, 1]
    assert atc.atc1_conv_problem_init(problem, 9) == atc.ATC_ERROR_INVALID_ARGUMENT
    assert "9" in by_elf_name.string(atc.atc1_last_error()).decode()
    print(f"cffi {cffi.__version__}: {len(read.functions)} functions, {len(read.structs)} structs")


if __name__ == "__main__":
    main()
