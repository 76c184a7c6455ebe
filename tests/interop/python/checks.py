"""The checks of a Python client with `lanyard serve --demo`. Prints one line per check: `check NAME ok|fail|na DETAIL`.

The program of a peer derives a class from Peer, which wraps the peer's API, and calls main() with it:

    PROGRAM stdio PATH_OF_LANYARD ERA
    PROGRAM http URL ERA
"""

import os
import sys
import traceback

import anyio

SECONDS = 60  # for one check
COUNTER = "demo://counter"


class Result:
    """The result of a tool."""

    def __init__(self, kinds, text, structured=None, error=False):
        self.kinds, self.text, self.structured, self.error = kinds, text, structured, error

    @classmethod
    def of(cls, result):
        """Converts a result of the Python SDK, version 1 or 2, or of FastMCP."""
        def member(*names):
            return next((getattr(result, name) for name in names if hasattr(result, name)), None)

        return cls([block.type for block in result.content], "".join(getattr(block, "text", "") for block in result.content),
                   member("structured_content", "structuredContent"), member("is_error", "isError"))


class Peer:
    """A client of another author. Every method but __init__ is called between __aenter__ and __aexit__."""

    absent = {}  # checks of features that the client does not have, and why
    url_questions = True  # whether the client answers questions that send the user to a web page
    media_kinds = ["text", "image", "audio", "resource_link", "resource"]  # of the tool mix, as the client names them
    subscribes = True  # whether the client can subscribe to a resource

    def __init__(self, transport, address, era):
        self.transport, self.address, self.era = transport, address, era
        self.logs = []  # levels of log messages
        self.changes = []  # "tools", "prompts", "resources" and URIs of resources

    @property
    def arguments(self):
        """The arguments of the program that serves over stdio."""
        return ["serve", "--demo"]

    async def __aenter__(self):
        raise NotImplementedError

    async def __aexit__(self, *failure):
        raise NotImplementedError

    async def tools(self):
        """The names of all tools."""
        raise NotImplementedError

    async def call(self, name, arguments, on_progress=None):
        """Returns a Result. on_progress is a coroutine that takes progress, total, message."""
        raise NotImplementedError

    async def call_cancelled(self, name, arguments):
        """Calls a tool and cancels the call after a while, in the way that the client supports."""
        with anyio.move_on_after(0.5):
            await self.call(name, arguments)

    async def resources(self):
        """The URIs of all resources."""
        raise NotImplementedError

    async def templates(self):
        """All URI templates."""
        raise NotImplementedError

    async def read(self, uri):
        """The text of a resource, or its base64."""
        raise NotImplementedError

    async def prompts(self):
        """The names of all prompts."""
        raise NotImplementedError

    async def prompt(self, name, arguments):
        """The text of the first message."""
        raise NotImplementedError

    async def complete(self, prompt, name, value, context=None):
        """The completion values."""
        raise NotImplementedError

    async def call_logging(self, name, level):
        """Calls a tool so that the server sends log messages of the level and above."""
        raise NotImplementedError

    async def watch(self, uri):
        """Starts notifications of changed lists and of a changed resource."""
        raise NotImplementedError


# The client's answers to questions of the server.
FORM_VALUES = {"name": "Ada", "guests": 3, "place": "Bergen", "day": "2026-12-24"}


def form_answer(schema):
    return {key: FORM_VALUES[key] for key in schema["properties"] if key in FORM_VALUES}


def equal(got, expected):
    if got != expected:
        raise AssertionError(f"got {got!r:.300}, want {expected!r:.300}")


def holds(condition, what):
    if not condition:
        raise AssertionError(what)


async def refused(awaitable, what):
    try:
        result = await awaitable
    except Exception:  # each SDK has its own error classes
        return
    raise AssertionError(f"{what} was not refused: {result!r:.200}")


async def until(condition, what):
    with anyio.move_on_after(20):
        while not condition():
            await anyio.sleep(0.02)
    holds(condition(), what)


async def check_list(peer):
    missing = {"echo", "add", "weather", "count_down", "wait", "mix", "fail"} - set(await peer.tools())
    holds(not missing, f"tools are missing: {missing}")


async def check_call(peer):
    equal((await peer.call("echo", {"text": "Grüße\n🙂"})).text, "Grüße\n🙂")


async def check_structured(peer):
    await peer.tools()  # so that the client has the output schemas
    equal((await peer.call("add", {"a": 1.5, "b": 2})).structured, {"sum": 3.5})
    equal((await peer.call("largest", {"numbers": [3, 9, 4]})).structured, {"largest": 9})


async def check_errors(peer):
    failed = await peer.call("fail", {})
    holds(failed.error, "no error")
    holds("this tool always fails" in failed.text, failed.text)
    wrong = await peer.call("weather", {"city": "Oslo", "units": "kelvin"})
    holds(wrong.error and "units" in wrong.text, wrong.text)
    await refused(peer.call("fail", {"way": "refusal"}), "the call")
    equal((await peer.call("echo", {"text": "alive"})).text, "alive")


async def check_progress(peer):
    steps = []

    async def on_progress(progress, total=None, message=None):
        steps.append((progress, total, message))

    result = await peer.call("count_down", {"from": 3, "delay_ms": 20}, on_progress)
    equal(result.text, "counted down from 3")
    equal(steps, [(1, 3, "2 to go"), (2, 3, "1 to go"), (3, 3, "0 to go")])


async def check_cancel(peer):
    async def interrupted():
        return int((await peer.call("count_interrupted", {})).text)

    before = await interrupted()
    await peer.call_cancelled("wait", {"seconds": 600})
    with anyio.move_on_after(10):
        while await interrupted() == before:
            await anyio.sleep(0.05)
    equal(await interrupted(), before + 1)


async def check_media(peer):
    equal((await peer.call("mix", {})).kinds, peer.media_kinds)


async def check_resources(peer):
    missing = {"demo://readme", "demo://picture", COUNTER} - set(await peer.resources())
    holds(not missing, f"resources are missing: {missing}")
    holds("demonstration" in await peer.read("demo://readme"), "the text of demo://readme")
    holds((await peer.read("demo://picture")).startswith("iVBORw0KGgo"), "the bytes of demo://picture")
    await refused(peer.read("demo://nothing"), "a resource that does not exist")


async def check_templates(peer):
    equal(sorted(await peer.templates()), ["demo://greeting/{name}", "demo://table/{table}/{row}"])
    equal(await peer.read("demo://greeting/Ada"), "Hello, Ada!")


async def check_prompts(peer):
    holds({"review", "tip"} <= set(await peer.prompts()), "the prompts")
    equal(await peer.prompt("review", {"language": "cpp", "code": "int x;"}), "Review this C++ code:\n\nint x;")
    await refused(peer.prompt("review", {"language": "cobol", "code": "x"}), "a language that does not exist")


async def check_completion(peer):
    equal(await peer.complete("review", "language", "c"), ["c", "cpp"])
    equal(await peer.complete("visit", "city", "O", {"country": "norway"}), ["Oslo"])


async def check_elicitation(peer):
    equal((await peer.call("book_table", {})).text, "a table for 3 in the name of Ada, inside")
    trip = (await peer.call("plan_trip", {})).text
    holds(trip.endswith(": Bergen on 2026-12-24"), trip)
    if peer.url_questions:
        equal((await peer.call("open_page", {})).text, "the user agreed")


async def check_sampling(peer):
    equal((await peer.call("ask_model", {"question": "?"})).text, "test-model says: forty-two")


async def check_roots(peer):
    equal((await peer.call("list_folders", {})).text, "1 open folders\nfile:///tmp/work")


async def check_log(peer):
    await peer.call_logging("log_everything", "warning")
    await until(lambda: "emergency" in peer.logs, f"log messages: {peer.logs}")
    equal(peer.logs, ["warning", "error", "critical", "alert", "emergency"])


async def check_changes(peer):
    await peer.watch(COUNTER)
    await peer.call("set_extras", {"on": True})
    try:
        await until(lambda: {"tools", "prompts", "resources"} <= set(peer.changes), f"changes: {peer.changes}")
        equal((await peer.call("extra", {})).text, "still here")
        if peer.subscribes:
            await peer.call("increment", {})
            await until(lambda: COUNTER in peer.changes, f"changes: {peer.changes}")
    finally:
        await peer.call("set_extras", {"on": False})


async def check_large(peer):
    text = "0123456789" * 120_000
    result = await peer.call("echo", {"text": text})
    holds(result.text == text, f"{len(result.text)} bytes came back")


async def check_parallel(peer):
    sums = [None] * 100

    async def add(number):
        sums[number] = (await peer.call("echo", {"text": str(number)})).text

    async with anyio.create_task_group() as tasks:
        for number in range(len(sums)):
            tasks.start_soon(add, number)
    equal(sums, [str(number) for number in range(len(sums))])


CHECKS = {"list": check_list, "call": check_call, "structured": check_structured, "errors": check_errors,
          "progress": check_progress, "cancel": check_cancel, "media": check_media, "resources": check_resources,
          "templates": check_templates, "prompts": check_prompts, "completion": check_completion,
          "elicitation": check_elicitation, "sampling": check_sampling, "roots": check_roots, "log": check_log,
          "changes": check_changes, "large": check_large, "parallel": check_parallel}


async def once(make, name):
    """Runs one check with a new client. The check "reuse" opens the same client twice."""
    peer = make()
    with anyio.fail_after(SECONDS):
        if name != "reuse":
            async with peer:
                await CHECKS[name](peer)
            return
        for _ in range(2):
            async with peer:
                await check_call(peer)


def reason(failure):
    """The first failure inside exception groups, on one line."""
    while getattr(failure, "exceptions", None):
        failure = failure.exceptions[0]
    return " ".join(f"{type(failure).__name__}: {failure}".split())[:300]


def main(peer_class):
    transport, address, era, *wanted = sys.argv[1:]
    for name in wanted or [*CHECKS, "reuse"]:
        if name in peer_class.absent:
            print(f"check {name} na {peer_class.absent[name]}", flush=True)
            continue
        try:
            anyio.run(once, lambda: peer_class(transport, address, era), name)
            print(f"check {name} ok", flush=True)
        except BaseException as failure:  # also exception groups and cancellations
            print(f"check {name} fail {reason(failure)}", flush=True)
            if os.environ.get("LANYARD_INTEROP_TRACE"):
                traceback.print_exc()
