"""Runs each command that a page shows, as it is shown: pages.py SOURCE_DIR PREFIX BUILD_DIR OUT [PAGE...]

The blocks of a page that are marked as sh or bash run in their order. Each page has a folder of its own and an empty
home folder, in which atc is installed (a copy of PREFIX) as README describes. The blocks of README itself begin without
an installed atc. The folder contains links to the sources, and also

  ./program, ./my_program  examples/c/convolution.c      recorded.json  the convolution of that program
  pins.json                docs/pins.example.json        build/release, build/cpu  BUILD_DIR

To save time, built-in networks have a batch of 1, and each candidate is sampled once (three times by `advise`). The
budget is large enough for a busy machine. Lines with `--device cuda` or `--cudnn` are left out. A comment before a
block says which other lines are left out, and why:

  <!-- not run: REASON -->               leaves out the block
  <!-- run from: BEGINNING, REASON -->   leaves out the lines before the one that starts with BEGINNING
"""

import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

PAGES = ["*.md", "docs/*.md", "examples/**/*.md", "rust/*/README.md", "python/*.md", "bench/*.md"]
BLOCK = re.compile(r"^(?:[ ]*<!-- (?P<mark>[^\n]*) -->\n\s*)?(?P<indent>[ ]*)```(?:sh|bash|console)\n(?P<code>.*?)^[ ]*```$", re.S | re.M)
NEEDS_A_GPU = re.compile(r"--device cuda|--cudnn ")
PRELUDE = r"""
set -euo pipefail
atc() {
  local word batch='' technique=once status=0 arguments=()
  for word in "$@"; do
    case $word in resnet50 | mobilenet_v3_large | efficientnet_b0 | convnext_tiny | unet) batch=1 ;; esac
  done
  while (($#)); do
    if [[ -n $batch && $1 == --batch ]]; then set -- "$1" "$batch" "${@:3}"; fi
    arguments+=("$1")
    shift
  done
  case ${arguments[0]} in
    advise) technique=median-of-three ;;& # a single sample proves no gain
    tune | select | advise) arguments+=(--technique "$technique" --problem-budget 60s) ;;
  esac
  "$(type -P atc)" "${arguments[@]}" || status=$?
  # If other work runs on the machine, `advise` may have no advice.
  [[ ${arguments[0]} == advise && $status == 3 ]] || return "$status"
}
"""
RECORDING = """{"schema": "atc-tune", "version": 1, "problems": [
  {"name": "program", "columns": {"N": 8, "C": 64, "H": 56, "W": 56, "K": 64, "R": 3, "S": 3}}]}
"""


class Block:
    def __init__(self, page, match):
        self.page = page
        self.line = match.string.count("\n", 0, match.start("code")) + 1
        self.code = match["code"]
        self.mark = match["mark"] or ""

    def __str__(self):
        return f"{self.page}:{self.line}"

    def script(self):
        """Returns two values: the lines of the block that are run, without its indentation, and "". If no line is run,
        they are None and the reason."""
        if self.mark.startswith("not run"):
            reason = re.fullmatch(r"not run: (\S.*)", self.mark)
            if not reason:
                raise SystemExit(f"{self}: `{self.mark}` has no reason")
            return None, reason[1]
        # Joins a line and its continuation lines, so that each command is left out or run as a whole.
        lines = re.sub(r"\\\n\s*|(?<=\|)\n\s*|(?<=&&)\n\s*", " ", self.code).splitlines()
        if self.mark.startswith("run from"):
            start = re.fullmatch(r"run from: (.+?), (\S.*)", self.mark)
            index = next((i for i, line in enumerate(lines) if start and line.startswith(start[1])), None)
            if index is None:
                raise SystemExit(f"{self}: `{self.mark}` names no line of the block, or has no reason")
            lines = lines[index:]
        taken = [line for line in lines if not NEEDS_A_GPU.search(line)]
        return ("\n".join(taken) + "\n", "") if taken else (None, "needs a GPU")


def blocks(source, pages):
    for pattern in PAGES:
        for file in sorted(source.glob(pattern)):
            page = file.relative_to(source).as_posix()
            if not pages or page in pages:
                for match in BLOCK.finditer(file.read_text()):
                    yield Block(page, match)


class Folder:
    """The folders of a reader who tries the commands of one page: a clone of the repository, and a home folder in which
    atc is installed (for README.md nothing is installed).
    """

    def __init__(self, source, prefix, build, out, page):
        self.path = out / re.sub(r"\W", "_", page)
        shutil.rmtree(self.path, ignore_errors=True)
        self.home = self.path / "home"
        clone = self.path / "clone"
        (clone / "build").mkdir(parents=True)
        self.home.mkdir()
        for entry in source.iterdir():
            if entry.name not in ("build", ".git"):
                (clone / entry.name).symlink_to(entry)
        for preset in ("release", "cpu"):
            (clone / "build" / preset).symlink_to(build)
        for program in ("program", "my_program"):
            shutil.copy(out / "program", clone / program)
        (clone / "recorded.json").write_text(RECORDING)
        shutil.copy(source / "docs/pins.example.json", clone / "pins.json")
        if page != "README.md":
            shutil.copytree(prefix, self.home / ".local", symlinks=True)
        # The commands use the caches of ccache and cargo of the user who runs the test, so that nothing is compiled
        # twice.
        keep = {name: os.environ[name] for name in ("CCACHE_DIR", "CARGO_TARGET_DIR", "RUSTUP_HOME", "CARGO_HOME") if name in os.environ}
        caller = Path(os.environ["HOME"])
        self.environment = {
            "RUSTUP_HOME": str(caller / ".rustup"), "CARGO_HOME": str(caller / ".cargo"), **keep, "HOME": str(self.home),
            "PATH": f"{self.home}/.local/bin:{os.environ['PATH']}", "OMP_WAIT_POLICY": "passive"}
        self.clone = clone

    def run(self, script):
        started = time.monotonic()
        done = subprocess.run(["bash", "-c", PRELUDE + script], cwd=self.clone, env=self.environment, text=True, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        return done, time.monotonic() - started


def main():
    source, prefix, build, out = (Path(word).resolve() for word in sys.argv[1:5])
    out.mkdir(parents=True, exist_ok=True)
    flags = subprocess.run(["pkg-config", "--cflags", "--libs", "atc"], check=True, stdout=subprocess.PIPE, text=True,
                           env={**os.environ, "PKG_CONFIG_PATH": str(prefix / "lib/pkgconfig")}).stdout.split()
    subprocess.run(["cc", source / "examples/c/convolution.c", *flags, f"-Wl,-rpath,{prefix}/lib", "-o", out / "program"], check=True)

    found = list(blocks(source, sys.argv[5:]))
    folder, ran, failed = None, 0, []
    for block in found:
        script, reason = block.script()
        if script is None:
            print(f"{block}: not run: {reason}")
            continue
        if folder is None or folder[0] != block.page:
            folder = block.page, Folder(source, prefix, build, out, block.page)
        done, seconds = folder[1].run(script)
        ran += 1
        print(f"{block}: {seconds:.1f} s", flush=True)
        if done.returncode:
            failed.append(str(block))
            print(f"{done.stdout}\n{block}: this block ended with {done.returncode}:\n{script}")
    print(f"{len(found)} blocks, {ran} ran, {len(failed)} failed {' '.join(failed)}")
    if not failed:
        shutil.rmtree(out)  # deletes the folders, because each page's folder has a copy of PREFIX
    sys.exit(bool(failed) or not ran)


if __name__ == "__main__":
    main()
