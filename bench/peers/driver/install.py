"""Installs the peers, pinned, below build/, from the registries of their languages."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
PEERS = ROOT / "bench/peers"
BUILD = ROOT / "build/peers"


class Missing(Exception):
    """A toolchain is missing: the peer is skipped, and the message gives the reason."""


def say(*arguments, **options):
    subprocess.run(arguments, check=True, stdout=sys.stderr, **options)


def version_of(*command):
    """Returns the first version number that the command prints, or None if it does not run."""
    try:
        shown = subprocess.run(command, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    found = re.search(r"\d+(\.\d+)+", shown.stdout + shown.stderr)
    return found.group() if found else None


def need(what, found, least):
    def numbers(version):
        return [int(part) for part in version.split(".")]

    if found is None or numbers(found) < numbers(least):
        raise Missing(f"it needs {what} {least} or newer" + (f", this is {found}" if found else ""))
    return found


def once(folder, pins, install):
    """Runs install unless the folder already has the pinned versions."""
    wanted = "\n".join(pin.read_text(encoding="utf-8") for pin in pins)
    mark = folder / "installed"
    if not mark.exists() or mark.read_text(encoding="utf-8") != wanted:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        install()
        mark.write_text(wanted, encoding="utf-8")


def install_own(_peer, _here, _folder):
    return ROOT / "build/release", {}, {}


def install_npm(peer, _here, _folder):
    need("npm", version_of("npm", "--version"), "8")
    pins = ROOT / "tests/interop/npm"
    folder = ROOT / "build/interop/npm"
    say(pins / "install", folder)
    versions = json.loads((pins / "package.json").read_text(encoding="utf-8"))["dependencies"]
    return (folder, {"LANYARD_PEERS_NPM": str(folder), "NODE_ENV": "production"},
            {peer["package"]: versions[peer["package"]], "node": version_of(folder / "bin/node", "--version")})


def install_python(peer, here, folder):
    found = need("Python", version_of("python3", "--version"), "3.10")
    pins = here / "requirements.txt"

    def fill():
        try:
            say("python3", "-m", "venv", folder)
        except subprocess.CalledProcessError as why:
            raise Missing("it needs Python with venv") from why
        say(folder / "bin/pip", "install", "--quiet", "--disable-pip-version-check", "-r", pins)

    once(folder, [pins], fill)
    pinned = dict(line.split("==") for line in pins.read_text(encoding="utf-8").split())
    versions = {name: pinned[name] for name in (peer["package"], "uvicorn", "uvloop")}
    return folder, {"PYTHONDONTWRITEBYTECODE": "1", "FASTMCP_LOG_ENABLED": "false"}, {**versions, "Python": found}


def install_go(peer, here, folder):
    found = need("Go", version_of("go", "version"), "1.25")
    say("go", "build", "-trimpath", "-ldflags=-s -w", "-o", folder / "server", ".", cwd=here)
    pinned = dict(re.findall(r"^\s*(?:require )?(\S+) v(\S+)", (here / "go.mod").read_text(encoding="utf-8"), re.M))
    return folder, {}, {peer["package"]: pinned[peer["package"]], "Go": found}


def install_rust(peer, here, folder):
    found = need("Rust", version_of("rustc", "--version"), "1.88")
    say("cargo", "build", "--quiet", "--release", "--locked", cwd=here, env={**os.environ, "CARGO_TARGET_DIR": str(folder)})
    locked = (here / "Cargo.lock").read_text(encoding="utf-8")
    version = re.search(rf'name = "{peer["package"]}"\nversion = "([^"]+)"', locked)[1]
    return folder, {}, {peer["package"]: version, "Rust": found}


def install_java(peer, here, folder):
    found = need("a JDK", version_of("javac", "-version"), "17")
    need("Maven", version_of("mvn", "--version"), "3.6")
    once(folder, [here / "pom.xml", here / "Server.java"], lambda: say(
        "mvn", "--quiet", "--batch-mode", "package", f"-DbuildDirectory={folder}", cwd=here))
    pinned = re.search(rf"<artifactId>{peer['package']}</artifactId>\s*<version>([^<]+)<",
                       (here / "pom.xml").read_text(encoding="utf-8"))[1]
    return folder, {}, {peer["package"]: pinned, "Java": found}


KINDS = {"own": install_own, "npm": install_npm, "python": install_python, "go": install_go, "rust": install_rust,
         "java": install_java}


def names():
    """Returns every peer; the floor and Lanyard first."""
    found = sorted(path.parent.name for path in PEERS.glob("*/peer.json"))
    return sorted(found, key=lambda name: {"floor": 0, "lanyard": 1}.get(name, 2))


def install(name):
    """Returns what is needed to run the peer. Raises Missing if it cannot be installed here."""
    here = PEERS / name
    peer = json.loads((here / "peer.json").read_text(encoding="utf-8"))
    folder, environment, versions = KINDS[peer["kind"]](peer, here, BUILD / name)
    places = {"here": str(here), "folder": str(folder), "bin": str(ROOT / "build/release/bin")}

    def filled(words):
        # {tools}, {call} and {port} are replaced later.
        return [re.sub(r"\{(\w+)\}", lambda m: places.get(m[1], m[0]), word) for word in words]

    return {"title": peer["title"], "versions": versions, "checked": peer.get("checked", True), "warm_up": peer.get("warm_up", 0),
            "environment": {**os.environ, **environment},
            "modes": {mode: filled(peer["command"] + more) for mode, more in peer["modes"].items()}}
