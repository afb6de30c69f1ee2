"""Makes the wheel of the package, as PEP 517 asks: pip install ./python then needs no other package to build with, and no network
where numpy is installed. It is a zip archive of the folder mercer and of what is said of it below, with fixed times, so that the
same sources give the same bytes.
"""

import base64
import hashlib
import io
import tarfile
import zipfile
from pathlib import Path

NAME, VERSION = "mercer_ml", "0.1.0"
TITLE = f"{NAME}-{VERSION}"
FOLDER = Path(__file__).resolve().parent
METADATA = f"""\
Metadata-Version: 2.1
Name: mercer-ml
Version: {VERSION}
Summary: Learns from tables of which few rows are labelled: estimators over the program mercer, and a reader of its models
License: BSD-3-Clause
Requires-Python: >=3.9
Requires-Dist: numpy
"""
WHEEL = """\
Wheel-Version: 1.0
Generator: backend.py
Root-Is-Purelib: true
Tag: py3-none-any
"""


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """Writes the wheel of the package and returns its name."""
    return _wheel(wheel_directory, {f"mercer/{path.name}": path.read_bytes() for path in _files()})


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    """Writes a wheel that leads to this folder (pip install -e, PEP 660) and returns its name."""
    return _wheel(wheel_directory, {f"{NAME}.pth": f"{FOLDER}\n".encode()})


def build_sdist(sdist_directory, config_settings=None):
    """Writes the sources as an archive and returns its name."""
    name = f"{TITLE}.tar.gz"
    with tarfile.open(Path(sdist_directory, name), "w:gz", format=tarfile.PAX_FORMAT) as out:
        info = tarfile.TarInfo(f"{TITLE}/PKG-INFO")
        info.size = len(METADATA)
        out.addfile(info, io.BytesIO(METADATA.encode()))
        for path in ("pyproject.toml", "backend.py", *sorted(f"mercer/{path.name}" for path in _files())):
            out.add(FOLDER / path, f"{TITLE}/{path}")
    return name


def _files():
    """The files of the package: its modules, and the mark that they have types."""
    return [*(FOLDER / "mercer").glob("*.py"), FOLDER / "mercer" / "py.typed"]


def _wheel(folder, files):
    name, about = f"{TITLE}-py3-none-any.whl", f"{TITLE}.dist-info"
    files |= {f"{about}/METADATA": METADATA.encode(), f"{about}/WHEEL": WHEEL.encode()}
    licence = FOLDER.parent / "LICENSE"
    if licence.exists():  # not where the folder alone was copied
        files[f"{about}/LICENSE"] = licence.read_bytes()
    record = f"{about}/RECORD"
    files[record] = "".join(f"{path},sha256={_digest(text)},{len(text)}\n" for path, text in files.items()).encode() + f"{record},,\n".encode()
    with zipfile.ZipFile(Path(folder, name), "w") as out:
        for path, text in sorted(files.items()):
            info = zipfile.ZipInfo(path)  # of the year 1980
            info.external_attr = 0o644 << 16
            out.writestr(info, text, zipfile.ZIP_DEFLATED)
    return name


def _digest(text):
    return base64.urlsafe_b64encode(hashlib.sha256(text).digest()).rstrip(b"=").decode()
