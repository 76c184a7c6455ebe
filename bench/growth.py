"""Growth curves of a whole server (bench-server --tools growth): the cost of messages, sessions, tools, connections and
concurrent calls as their number doubles. Callgrind counts instructions, so other work on the machine has no influence.

tools/bench runs it and prints the points.
"""

import contextlib
import json
import pathlib
import resource
import socket
import subprocess
import tempfile
import time

import callgrind

PATIENCE_SECONDS = 600
INITIALIZE = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}
META = {"io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "bench", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {}}
SENTENCE = 'The quick brown fox "jumps" over the lazy dog, and nobody minds it at all.\n'


def doublings(first, last):
    """Yields first, twice as much, and so on up to last."""
    while first <= last:
        yield first
        first *= 2


def evenly(items, count):
    """Returns this many of the items, evenly spread; all of them if there are fewer."""
    step = max(1, len(items) // count)
    return items[::step][:count]


class Curve:
    """One curve; a flat one should not grow at all."""

    def __init__(self, name, what, flat=False):
        self.name, self.what, self.flat, self.points = name, what, flat, {}

    def worst_doubling(self):
        """Returns the greatest factor between two consecutive points."""
        values = list(self.points.values())
        return max(after / before for before, after in zip(values, values[1:]))

    def from_end_to_end(self):
        """Returns the cost of the last point as a multiple of the first."""
        values = list(self.points.values())
        return values[-1] / values[0]


def message(method, params, number=1):
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


def tool_call(name, arguments, number=1):
    return message("tools/call", {"name": name, "arguments": arguments}, number)


def result_of(answer):
    if "result" not in answer or answer["result"].get("isError"):
        raise RuntimeError(f"refused: {str(answer)[:300]}")
    return answer["result"]


class HttpConnection:
    """One connection: stateless requests (2026-07-28), or requests of a session (2025-11-25)."""

    def __init__(self, port):
        end = time.monotonic() + PATIENCE_SECONDS
        while True:
            try:
                self._socket = socket.create_connection(("127.0.0.1", port), PATIENCE_SECONDS)
                break
            except ConnectionRefusedError:
                if time.monotonic() > end:
                    raise
                time.sleep(0.05)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def close(self):
        self._socket.close()

    def send(self, body, session=None):
        headers = []
        if session is None:
            body = {**body, "params": {**body["params"], "_meta": META}}
            headers += ["MCP-Protocol-Version: 2026-07-28", f"Mcp-Method: {body['method']}"]
            if "name" in body["params"]:
                headers.append(f"Mcp-Name: {body['params']['name']}")
        elif session:
            headers += ["MCP-Protocol-Version: 2025-11-25", f"Mcp-Session-Id: {session}"]
        text = json.dumps(body, separators=(",", ":")).encode()
        head = ["POST /mcp HTTP/1.1", "Host: 127.0.0.1:8080", "Content-Type: application/json",
                "Accept: application/json, text/event-stream", *headers, f"Content-Length: {len(text)}"]
        # In one piece, so that the server reads it with one call.
        self._socket.sendall("\r\n".join(head).encode() + b"\r\n\r\n" + text)

    def receive(self):
        """Reads the next response; returns its head and body."""
        data = b""
        while b"\r\n\r\n" not in data:
            data += self._more()
        head, _, body = data.partition(b"\r\n\r\n")
        lines = head.decode().split("\r\n")
        if not lines[0].startswith("HTTP/1.1 20"):
            raise RuntimeError(f"refused: {data[:300]!r}")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:])}
        pieces, missing = [body], int(headers.get("content-length", 0)) - len(body)
        while missing > 0:
            pieces.append(self._more())
            missing -= len(pieces[-1])
        return headers, b"".join(pieces)

    def call(self, body, session=None):
        self.send(body, session)
        return result_of(json.loads(self.receive()[1]))

    def open_session(self):
        self.send(message("initialize", INITIALIZE, 0), session="")
        session = self.receive()[0]["mcp-session-id"]
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"}, session)
        self.receive()
        return session

    def _more(self):
        data = self._socket.recv(1 << 20)
        if not data:
            raise RuntimeError("the server has ended the connection")
        return data


class Server:
    """bench-server under callgrind, over HTTP or stdio."""

    def __init__(self, program, over_http):
        self._folder = tempfile.TemporaryDirectory(prefix="lanyard-growth-")
        self._out = pathlib.Path(self._folder.name) / "out"
        command = [*callgrind.command(self._out), program]
        options = ["--tools", "growth"]
        if over_http:
            with socket.create_server(("127.0.0.1", 0)) as probe:
                self.port = probe.getsockname()[1]
            command += ["--port", str(self.port), *options]
        else:
            command += ["--stdio", *options]
        self._process = subprocess.Popen(command, env=callgrind.environment(), stdin=subprocess.PIPE,
                                         stdout=subprocess.PIPE)
        self._control = HttpConnection(self.port) if over_http else self
        if not over_http:
            self.call(message("initialize", INITIALIZE, 0))
            self.send([{"jsonrpc": "2.0", "method": "notifications/initialized"}])
        self._marks = 0
        for _ in range(20):
            self._control.call(tool_call("echo", {"text": "hello"}))
        self._mark_costs = 0
        self._mark_costs = self.counted(lambda: None)

    def close(self):
        self._process.kill()
        self._process.wait()
        self._process.stdin.close()
        self._process.stdout.close()
        self._folder.cleanup()

    # Over stdio.

    def send(self, bodies):
        lines = [json.dumps(body, separators=(",", ":")).encode() + b"\n" for body in bodies]
        self._process.stdin.write(b"".join(lines))
        self._process.stdin.flush()

    def receive(self):
        return json.loads(self._process.stdout.readline())

    def call(self, body):
        self.send([body])
        return result_of(self.receive())

    def counted(self, work):
        """Returns the number of instructions of the server while the work is done."""
        self._mark()
        work()
        self._mark()
        return callgrind.read_dumps(self._out)[-1].instructions - self._mark_costs

    def _mark(self):
        # The dump exists before the answer arrives.
        self._marks += 1
        self._control.call(tool_call("mark", {"text": str(self._marks)}))


@contextlib.contextmanager
def server(program, over_http):
    running = Server(program, over_http)
    try:
        yield running
    finally:
        running.close()


def repeat(times, action):
    for _ in range(times):
        action()


def call_of_size(size):
    """A call of the echo tool whose message has this many bytes."""
    room = size - len(json.dumps(tool_call("echo", {"text": ""}), separators=(",", ":")))
    text = SENTENCE * (room // len(json.dumps(SENTENCE)))
    return tool_call("echo", {"text": text + "x" * (room - len(json.dumps(text)) + 2)})


def message_curve(program, over_http):
    curve = Curve("growth/message/" + ("http" if over_http else "stdio"), "a call of so many bytes, said back")
    with server(program, over_http) as running:
        # As in a session, so that both kinds of requests have the same size.
        if over_http:
            connection = HttpConnection(running.port)
            session = connection.open_session()
            call = lambda body: connection.call(body, session)
        else:
            call = running.call
        for size in doublings(244, 16_000_000):
            body, calls = call_of_size(size), max(1, min(32, 1_000_000 // size))
            repeat(2, lambda: call(body))
            curve.points[size] = running.counted(lambda: repeat(calls, lambda: call(body))) / calls
    return [curve]


def session_curves(program):
    opening = Curve("growth/sessions/open", "opening so many sessions")
    calling = Curve("growth/sessions/call", "a call beside so many sessions", flat=True)
    with server(program, over_http=True) as running:
        connection = HttpConnection(running.port)
        repeat(3, connection.open_session)
        opened, total = [], 0
        for count in doublings(10, 10_240):
            total += running.counted(
                lambda: repeat(count - len(opened), lambda: opened.append(connection.open_session())))
            opening.points[count] = total
            chosen = evenly(opened, 64)

            def call_each():
                for session in chosen:
                    connection.call(tool_call("echo", {"text": "hello"}), session)

            call_each()
            calling.points[count] = running.counted(call_each) / len(chosen)
    return [opening, calling]


def list_all(connection):
    cursor, names = None, []
    while True:
        page = connection.call(message("tools/list", {"cursor": cursor} if cursor else {}))
        names += [tool["name"] for tool in page["tools"]]
        cursor = page.get("nextCursor")
        if cursor is None:
            return names


def tool_curves(program):
    registering = Curve("growth/tools/register", "registering so many tools")
    listing = Curve("growth/tools/list", "listing so many tools for the first time, page by page")
    calling = Curve("growth/tools/call", "a call in a catalog of so many tools", flat=True)
    with server(program, over_http=True) as running:
        connection = HttpConnection(running.port)
        registered, total = 0, 0
        for count in doublings(10, 10_240):
            total += running.counted(lambda: connection.call(tool_call("register", {"count": count - registered})))
            registered = count
            registering.points[count] = total
            listing.points[count] = running.counted(lambda: list_all(connection))
            chosen = evenly([f"tool_{number}" for number in range(count)], 64)

            def call_each():
                for name in chosen:
                    connection.call(tool_call(name, {"path": "/", "limit": 5}))

            call_each()
            calling.points[count] = running.counted(call_each) / len(chosen)
    return [registering, listing, calling]


def connection_curve(program):
    curve = Curve("growth/connections", "a call on each of so many connections at once")
    with server(program, over_http=True) as running:
        connections = []

        def call_each():
            for connection in connections:
                connection.send(tool_call("echo", {"text": "hello"}))
            for connection in connections:
                connection.receive()

        for count in doublings(1, 1024):
            while len(connections) < count:
                connections.append(HttpConnection(running.port))
            rounds = max(2, 64 // count)
            repeat(2, call_each)
            curve.points[count] = running.counted(lambda: repeat(rounds, call_each)) / rounds
        for connection in connections:
            connection.close()
    return [curve]


def in_flight_curve(program):
    curve = Curve("growth/in_flight", "so many calls of a session that are under way at the same time")
    with server(program, over_http=False) as running:
        for count in doublings(1, 1024):
            calls = [tool_call("gather", {"count": count}, 1000 + number) for number in range(count)]

            def call_all():
                running.send(calls)
                for _ in calls:
                    result_of(running.receive())

            rounds = max(2, 64 // count)
            repeat(2, call_all)
            curve.points[count] = running.counted(lambda: repeat(rounds, call_all)) / rounds
    return [curve]


# The measurements, by the names of their curves.
GROUPS = (
    (("growth/message/stdio",), lambda program: message_curve(program, over_http=False)),
    (("growth/message/http",), lambda program: message_curve(program, over_http=True)),
    (("growth/sessions/open", "growth/sessions/call"), session_curves),
    (("growth/tools/register", "growth/tools/list", "growth/tools/call"), tool_curves),
    (("growth/connections",), connection_curve),
    (("growth/in_flight",), in_flight_curve),
)


def curves(program, wanted):
    """Measures the curves with these names."""
    # Both ends of a thousand connections are on this machine.
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    for names, draw in GROUPS:
        if any(wanted(name) for name in names):
            yield from (curve for curve in draw(program) if wanted(curve.name))
