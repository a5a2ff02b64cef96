"""Makes the wheel `evert-llvm`: the LLVM library of a Rust toolchain, as it is, in a package of its own.

    python build.py OUT [--library PATH]

Nothing of Python's is in it, so that one wheel serves all versions; it changes only when LLVM does. The toolchain's library is built on an
old glibc, with one file to load and LLVM's C interface exported, which is all that Evert needs.
"""

import argparse
import base64
import hashlib
import pathlib
import re
import subprocess
import zipfile

HERE = pathlib.Path(__file__).parent
TAG = "py3-none-manylinux_2_17_x86_64"
#: So that the same library gives the same wheel.
TIME = (2020, 1, 1, 0, 0, 0)

MODULE = '''"""The LLVM library that Evert compiles programs with."""

import os


def path() -> str:
    """Where the library is."""
    return os.path.join(os.path.dirname(os.path.abspath(__file__)), {name!r})
'''


def library() -> pathlib.Path:
    """The library of the toolchain that `rustc` is."""
    sysroot = subprocess.run(["rustc", "--print", "sysroot"], capture_output=True, text=True, check=True).stdout.strip()
    found = [path for path in pathlib.Path(sysroot, "lib").glob("libLLVM*") if path.stat().st_size > 1 << 20]
    if len(found) != 1:
        raise SystemExit(f"expected one libLLVM in {sysroot}/lib, found {len(found)}")
    return found[0]


def version(path: pathlib.Path) -> str:
    """`libLLVM.so.22.1-rust-1.95.0-stable` is version 22.1, as built for Rust 1.95.0: 22.1.195.0."""
    match = re.search(r"(\d+)\.(\d+)-rust-(\d+)\.(\d+)\.(\d+)", path.name)
    if match is None:
        raise SystemExit(f"the name {path.name} doesn't say which version it is")
    major, minor, *rust = match.groups()
    return f"{major}.{minor}.{rust[0]}{int(rust[1]):02}.{rust[2]}"


def build(source: pathlib.Path, out: pathlib.Path) -> pathlib.Path:
    number = version(source)
    name = f"libLLVM-{'.'.join(number.split('.')[:2])}.so"
    info = f"evert_llvm-{number}.dist-info"
    license = (HERE.parents[1] / "LICENSE-APACHE").read_text() + "\n" + (HERE / "LLVM-EXCEPTION.txt").read_text()
    metadata = (
        f"Metadata-Version: 2.1\nName: evert-llvm\nVersion: {number}\nSummary: The LLVM library that Evert compiles programs with\n"
        "License: Apache-2.0 WITH LLVM-exception\nRequires-Python: >=3.10\n"
    )
    files = {
        "evert_llvm/__init__.py": MODULE.format(name=name).encode(),
        f"evert_llvm/{name}": source.read_bytes(),
        f"{info}/METADATA": metadata.encode(),
        f"{info}/WHEEL": f"Wheel-Version: 1.0\nGenerator: evert\nRoot-Is-Purelib: false\nTag: {TAG}\n".encode(),
        f"{info}/LICENSE": license.encode(),
    }
    records = [f"{path},{digest(content)},{len(content)}" for path, content in files.items()]
    files[f"{info}/RECORD"] = ("\n".join([*records, f"{info}/RECORD,,"]) + "\n").encode()
    out.mkdir(parents=True, exist_ok=True)
    wheel = out / f"evert_llvm-{number}-{TAG}.whl"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        for path, content in files.items():
            entry = zipfile.ZipInfo(path, TIME)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o755 if path.endswith(".so") else 0o644) << 16
            archive.writestr(entry, content)
    return wheel


def digest(content: bytes) -> str:
    return "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--library", type=pathlib.Path)
    arguments = parser.parse_args()
    print(build(arguments.library or library(), arguments.out))
