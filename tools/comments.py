"""The comments, messages and test names of C++ files and the prose of Markdown pages, for the tools that judge language."""

import pathlib
import re

CODE = ["include", "src", "apps", "examples", "bench", "tests"]
PAGES = ["README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", "docs", "src", "examples", "tests", "bench"]
# Users read the strings of these folders.
MESSAGES = ["include", "src", "apps"]
TESTS = ["bench", "tests"]

TOKEN = re.compile(
    r"""(?P<comment>///[^\n]*(?:\n[ \t]*///[^\n]*)*|//[^\n]*(?:\n[ \t]*//(?!/)[^\n]*)*|/\*.*?\*/)
      | (?:u8|[LuU])?R"(?P<tag>[^()\\\s]*)\((?P<raw>.*?)\)(?P=tag)"
      | "(?P<string>(?:\\.|[^"\\\n])*)"
      | (?P<space>\s+)
      | (?<![\w])'(?:\\.|[^'\\\n])+'
      | .""",
    re.DOTALL | re.VERBOSE)
# Comments for tools and compilers.
MARKER = re.compile(r"NOLINT|clang-format|NOTREACHED|}\s*//|^namespace\b|^\.\.\.$")
TEST = re.compile(r"^TEST(?:_F|_P)?\(\s*\w+,\s*(\w+)\s*\)", re.MULTILINE)
PYTHON_TEST = re.compile(r"^    def test_(\w+)\(self\)", re.MULTILINE)


class Text:
    """A comment, a message, a test name, or a paragraph of a page, with the place where it begins."""

    def __init__(self, path, line, words):
        self.path, self.line, self.words = path, line, words

    def __str__(self):
        return f"{self.path}:{self.line}: {self.words}"


def comments_of(path, source):
    line = 1
    for match in TOKEN.finditer(source):
        text = match.group(0)
        if match.group("comment"):
            lines = [re.sub(r"^\s*(///?<?|/\*+|\*/?)\s?", "", one) for one in text.split("\n")]
            words = " ".join(" ".join(lines).replace("*/", "").split())
            if words and not MARKER.search(words):
                yield Text(path, line, words)
        line += text.count("\n")


def messages_of(path, source):
    """The string literals that consist of several words; adjacent ones are one message."""
    line, begin, parts = 1, 1, []
    for match in list(TOKEN.finditer(source)) + [None]:
        string = match and (match.group("string") if match.group("raw") is None else match.group("raw"))
        if string is not None:
            begin = begin if parts else line
            parts.append(string if match.group("raw") is not None else re.sub(r"\\(.)", unescape, string))
        elif parts and not (match and (match.group("space") or match.group("comment"))):
            words = " ".join("".join(parts).split())
            parts.clear()
            if re.search(r"[a-z] [a-z]", words):
                yield Text(path, begin, words)
        line += match.group(0).count("\n") if match else 0


def unescape(match):
    return match[1] if match[1] in "\"'\\" else " "


def test_names_of(path, source):
    for match in (PYTHON_TEST if path.suffix == ".py" else TEST).finditer(source):
        yield Text(path, source.count("\n", 0, match.start()) + 1, match[1])


def paragraphs_of(path, source):
    fenced, begin, lines = False, 1, []

    def flush():
        words = " ".join(" ".join(lines).split())
        lines.clear()
        return Text(path, begin, words) if words else None

    for number, one in enumerate(source.split("\n"), 1):
        fence = one.lstrip().startswith("```")
        new = fence or fenced or not one.strip() or re.match(r"\s*(#|\||[-*] |\d+\. )", one)
        if new:
            done = flush()
            if done:
                yield done
            begin = number
        if fence:
            fenced = not fenced
        elif not fenced and one.strip():
            if not lines:
                begin = number
            lines.append(one)
    done = flush()
    if done:
        yield done


def files(root, folders, suffixes):
    for folder in folders:
        path = root / folder
        found = [path] if path.is_file() else sorted(path.rglob("*"))
        yield from (one for one in found if one.is_file() and one.suffix in suffixes)


def all_comments(root, folders=None):
    for path in files(root, folders or CODE, {".hpp", ".cpp"}):
        yield from comments_of(path.relative_to(root), path.read_text(encoding="utf-8"))


def all_paragraphs(root):
    for path in files(root, PAGES, {".md"}):
        yield from paragraphs_of(path.relative_to(root), path.read_text(encoding="utf-8"))


def all_messages(root):
    for path in files(root, MESSAGES, {".hpp", ".cpp"}):
        yield from messages_of(path.relative_to(root), path.read_text(encoding="utf-8"))


def all_test_names(root):
    for path in files(root, TESTS, {".hpp", ".cpp", ".py"}):
        yield from test_names_of(path.relative_to(root), path.read_text(encoding="utf-8"))
