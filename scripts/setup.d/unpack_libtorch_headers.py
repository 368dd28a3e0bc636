"""Unpack the headers of a LibTorch for which there are no libraries here: python3 unpack_libtorch_headers.py FOLDER_OF_WHEELS PREFIX

    PREFIX/torch/include
"""

import pathlib
import sys

from unpack_libtorch import unpack
from wheels import the_wheel


def main() -> None:
    wheels, prefix = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
    unpack(the_wheel(wheels, "torch"), (), prefix)


if __name__ == "__main__":
    main()
