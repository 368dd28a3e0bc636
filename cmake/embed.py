"""Write a C++ source that holds the bytes of a file: python3 embed.py INPUT OUTPUT NAMESPACE NAME

The bytes are a string literal, which compilers read hundreds of times faster than a list of numbers.
"""

import sys

BYTES_IN_A_LINE = 1024


def main() -> None:
    source, sink, namespace, name = sys.argv[1:]
    with open(source, "rb") as file:
        content = file.read()
    with open(sink, "w", encoding="ascii") as file:
        file.write(f"#include <cstddef>\n\nnamespace {namespace} {{\n")
        file.write(f"extern const unsigned char {name}[];\nextern const std::size_t {name}_size;\n")
        file.write(f"const std::size_t {name}_size = {len(content)};\n")
        # The array is one byte longer than the file, because the string literal ends with a zero byte.
        file.write(f"alignas(64) const unsigned char {name}[{len(content) + 1}] =")
        for begin in range(0, len(content), BYTES_IN_A_LINE):
            line = "".join(f"\\{byte:03o}" for byte in content[begin : begin + BYTES_IN_A_LINE])
            file.write(f'\n    "{line}"')
        file.write(f";\n}}  // namespace {namespace}\n")


if __name__ == "__main__":
    main()
