"""Checks that the bill of materials is complete: sbom.py SOURCE_DIR FOLDER. FOLDER is an installed tree.

The bill must list each project whose code is compiled in, each library of the tree with its checksum, each library that
these libraries need, and each crate on which the published crates depend. If the bill is written twice for one tree,
both results must be equal. If spdx-tools is installed, it validates the bill.
"""

import hashlib
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import notices


def written(source, what, out):
    subprocess.run([source / "scripts/sbom", what, out], check=True)
    try:
        from spdx_tools.spdx.parser.parse_anything import parse_file
        from spdx_tools.spdx.validation.document_validator import validate_full_spdx_document
    except ImportError:
        print("not validated: spdx-tools is not installed")
    else:
        faults = validate_full_spdx_document(parse_file(str(out)))
        assert not faults, faults[0].validation_message
    return json.loads(out.read_text())


def check_libraries(bill, folder):
    named = {package["name"]: package for package in bill["packages"]}
    for header in notices.COMPILED_IN:
        project = header.rstrip("/").removesuffix(".h").lower()
        found = [package for name, package in named.items() if name.lower().startswith(project)]
        assert found and re.fullmatch(r"\d+\.\d+\.\d+", found[0]["versionInfo"]), f"{header} is not in the bill"
    listed = {file["fileName"]: file["checksums"] for file in bill["files"]}
    if (folder / "bin/atc").exists():
        assert "./bin/atc" in listed and "crate:clap" in named and "crate:atc-tch" not in named
        notices_of_crates = next(folder.rglob("CRATE-NOTICES")).read_text()
        for name, package in named.items():
            crate = f"{name.removeprefix('crate:')} {package.get('versionInfo')} ("
            if name.startswith("crate:") and not name.startswith("crate:atc"):
                assert f"\n{crate}" in notices_of_crates, f"the program has no notice of the crate {crate}"
    libraries = [file for file in folder.rglob("*.so*") if not file.is_symlink() and file.read_bytes()[:4] == b"\x7fELF"]
    assert len(listed) >= len(libraries) > 0
    for file in libraries:
        digest = hashlib.sha256(file.read_bytes()).hexdigest()
        name = f"./{file.relative_to(folder).as_posix()}"
        assert {"algorithm": "SHA256", "checksumValue": digest} in listed[name], name
        if file.name.startswith("libdnnl"):
            assert named["oneDNN"]["versionInfo"][0] == "3", named["oneDNN"]
    asked = subprocess.run(["readelf", "-d", *libraries], check=True, stdout=subprocess.PIPE, text=True).stdout
    inside = set(re.findall(r"SONAME.*\[(.*)\]", asked))
    for library in set(re.findall(r"NEEDED.*\[(.*)\]", asked)) - inside:
        assert library in named, f"{library} is not in the bill"


def check_crates(bill, source):
    named = {package["name"] for package in bill["packages"]}
    # Maps the name that a dependency has in the manifests (Cargo.toml) to the real name of its crate, if they differ.
    renamed = dict(re.findall(r'^([\w-]+) = \{ package = "([\w-]+)"', (source / "rust/Cargo.toml").read_text(), re.M))
    for crate in ("atc-sys", "atc", "atc-candle", "atc-cli", "atc-tch"):
        manifest = (source / f"rust/{crate}/Cargo.toml").read_text()
        dependencies = re.search(r"^\[dependencies\]\n(.*?)(^\[|\Z)", manifest, re.M | re.S)
        for name in [crate] + re.findall(r"^([\w-]+)(?:\.workspace)? =", dependencies[1] if dependencies else "", re.M):
            assert f"crate:{renamed.get(name, name)}" in named, f"{name}, of {crate}, is not in the bill"
    for package in bill["packages"]:
        assert package["licenseDeclared"] != "NOASSERTION", package["name"]


def main():
    source, folder = map(Path, sys.argv[1:])
    with tempfile.TemporaryDirectory() as scratch:
        bill = written(source, folder, Path(scratch) / "one.spdx.json")
        again = written(source, folder, Path(scratch) / "two.spdx.json")
        assert bill == again
        check_libraries(bill, folder)
        crates = written(source, "crates", Path(scratch) / "crates.spdx.json")
        check_crates(crates, source)
    print(f"{len(bill['files'])} files, {len(bill['packages'])} packages, {len(crates['packages'])} crates")


if __name__ == "__main__":
    main()
