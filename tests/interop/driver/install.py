"""Installs the peers in build/interop, in the pinned versions, from the registries of their languages."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
HERE = ROOT / "tests/interop"
BUILD = ROOT / "build/interop"
SECONDS = 1800  # for one command of an installation


class Missing(Exception):
    """The peer cannot be installed here; the message contains the reason."""


def say(*arguments, **options):
    try:
        subprocess.run([str(word) for word in arguments], check=True, stdout=sys.stderr, stdin=subprocess.DEVNULL,
                       timeout=SECONDS, **options)
    except (OSError, subprocess.SubprocessError) as why:
        raise Missing(f"{arguments[0]} failed: {why}") from why


def version_of(*command):
    """The first dotted version number that the command prints, or None if the command fails."""
    try:
        shown = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    except (OSError, subprocess.SubprocessError):
        return None
    found = re.search(r"\d+(\.\d+)+", shown.stdout + shown.stderr)
    return found.group() if found else None


def need(what, found, least):
    def numbers(version):
        return [int(part) for part in version.split(".")]

    if found is None or numbers(found) < numbers(least):
        raise Missing(f"it needs {what} {least} or newer" + (f", this is {found}" if found else ""))


def once(folder, pins, fill):
    """Runs fill unless the folder already contains the pinned versions."""
    wanted = "\n".join(pin.read_text(encoding="utf-8") for pin in pins)
    mark = folder / "installed"
    if not mark.exists() or mark.read_text(encoding="utf-8") != wanted:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        fill()
        mark.write_text(wanted, encoding="utf-8")


def python(pins, folder):
    """Makes a virtual environment; returns the versions of its packages."""
    need("Python", version_of("python3", "--version"), "3.10")

    def fill():
        say("python3", "-m", "venv", folder)
        say(folder / "bin/pip", "install", "--quiet", "--disable-pip-version-check", "-r", pins)

    once(folder, [pins], fill)
    return dict(line.split("==") for line in pins.read_text(encoding="utf-8").split())


def node():
    """Installs Node and npm with npm/install, and the packages of `make test`; returns the folder."""
    need("npm", version_of("npm", "--version"), "8")
    folder = BUILD / "npm"
    say(HERE / "npm/install", folder)
    return folder


def npm(pins, folder):
    """Installs node_modules into a folder; returns the versions of its packages."""
    tools = node()
    environment = {**os.environ, "PATH": f"{tools}/bin:{os.environ['PATH']}"}

    def fill():
        for name in ("package.json", "package-lock.json"):
            shutil.copy(pins / name, folder)
        say("node", tools / "tools/node_modules/npm/bin/npm-cli.js", "ci", "--ignore-scripts", "--no-audit", "--no-fund",
            "--loglevel=error", cwd=folder, env=environment)

    once(folder, [pins / "package-lock.json"], fill)
    return json.loads((pins / "package.json").read_text(encoding="utf-8"))["dependencies"]


def go_program():
    """The path of Go: Debian's, or that of go.dev in its usual folder."""
    return shutil.which("go") or shutil.which("go", path="/usr/local/go/bin") or "go"


def go(here, folder):
    need("Go", version_of(go_program(), "version"), "1.25")
    for program in ("client", "server"):
        if (here / program).is_dir():
            say(go_program(), "build", "-trimpath", "-o", folder / program, f"./{program}", cwd=here)
    return dict(re.findall(r"^\s*(?:require )?(\S+) v(\S+)", (here / "go.mod").read_text(encoding="utf-8"), re.M))


def rust(here, folder):
    need("Rust", version_of("rustc", "--version"), "1.88")
    say("cargo", "build", "--quiet", "--locked", cwd=here, env={**os.environ, "CARGO_TARGET_DIR": str(folder)})
    locked = (here / "Cargo.lock").read_text(encoding="utf-8")
    return dict(re.findall(r'name = "([^"]+)"\nversion = "([^"]+)"', locked))


def java(here, folder):
    need("a JDK", version_of("javac", "-version"), "17")
    need("Maven", version_of("mvn", "--version"), "3.6")
    once(folder, [here / "pom.xml", *sorted(here.glob("*.java"))], lambda: say(
        "mvn", "--quiet", "--batch-mode", "package", f"-DbuildDirectory={folder}", cwd=here))
    return dict(re.findall(r"<artifactId>([^<]+)</artifactId>\s*<version>([^<]+)<",
                           (here / "pom.xml").read_text(encoding="utf-8")))


def nginx():
    found = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
    if not found:
        raise Missing("it needs the Debian package nginx-light, or another nginx")
    return found


def install(name, peer):
    """Installs a peer. Returns its version and the values of {folder}, {python}, {node} in its commands."""
    here, folder = HERE / name, BUILD / name
    places = {"interop": HERE, "here": here, "folder": folder}
    match peer["kind"]:
        case "python":
            versions = python(here / "requirements.txt", folder)
            places["python"] = folder / "bin/python"
        case "npm":
            versions = npm(HERE / peer.get("pins", name), BUILD / peer.get("pins", name))
            places.update(node=BUILD / "npm/bin/node", folder=BUILD / peer.get("pins", name))
        case "typescript":
            places.update(node=node() / "bin/node", folder=BUILD / "npm")
            versions = json.loads((HERE / "npm/package.json").read_text(encoding="utf-8"))["dependencies"]
        case "go":
            versions = go(here, folder)
            places["go"] = go_program()
        case "rust":
            versions = rust(here, folder)
        case "java":
            versions = java(here, folder)
        case "nginx":
            places["nginx"] = nginx()
            versions = {"nginx": version_of(places["nginx"], "-v")}
    return versions[peer["package"]], {key: str(place) for key, place in places.items()}


def filled(words, places):
    return [re.sub(r"\{(\w+)\}", lambda found: places.get(found[1], found[0]), word) for word in words]
