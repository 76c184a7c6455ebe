#!/usr/bin/env python3
"""escapes_server.py: a server on stdio, of a revision with sessions, with dangerous characters in each text.

Each text is marked with its place, so that a test can tell whether the program has printed it."""

import json
import sys

# A title (OSC) and a cleared screen (CSI), CSI of C1, direction overrides and marks, and line breaks that are none.
ESCAPES = "\x1b]0;title\x07\x1b[2J\u009b31m\u202e\u2066\u200e\u200f\u061c\u2028\u2029\r\x7fX"


def text(place):
    return f"<{place}>{ESCAPES}"


def schema():
    properties = {text("argument"): {"type": text("type"), "title": text("argument title"),
                                     "description": text("argument description"), "default": text("default")},
                  "choice": {"enum": [text("choice")], "description": "d"},
                  "titled": {"oneOf": [{"const": text("const"), "title": text("choice title")}]}}
    return {"type": "object", "properties": properties}


def described(kind, **more):
    return {"title": text(f"{kind} title"), "description": text(f"{kind} description"), **more}


RESOURCE = {"uri": "x://" + text("uri"), "name": text("resource name"), "mimeType": text("resource type")}
CONTENTS = [{"uri": "x://" + text("uri"), "mimeType": text("text type"), "text": text("contents")},
            {"uri": "x://b", "mimeType": text("blob type"), "blob": "YQ=="}]
CONTENT = [{"type": "text", "text": text("result")},
           {"type": "image", "data": "YQ==", "mimeType": text("image type")},
           {"type": "audio", "data": "YQ==", "mimeType": text("audio type")},
           {"type": "resource_link", **RESOURCE, **described("link")},
           {"type": "resource", "resource": CONTENTS[0]},
           {"type": "resource", "resource": CONTENTS[1]},
           {"type": text("kind"), "x": text("unknown content")}]
FORM = {"type": "object", "required": ["name"],
        "properties": {"name": {"type": "string", "title": text("field title"), "minLength": 1,
                                "description": text("field description"), "default": text("field default")},
                       text("field"): {"type": "string", "enum": ["a", text("option")],
                                       "enumNames": ["A", text("option title")]},
                       "one": {"type": "string", "oneOf": [{"const": text("const"), "title": text("const title")}]}}}


class Refused(Exception):
    pass


class Server:
    def __init__(self):
        self.client = {}
        self.asked = 0

    def write(self, message):
        # Not escaped to ASCII: dangerous characters are sent unchanged.
        print(json.dumps({"jsonrpc": "2.0", **message}, ensure_ascii=False), flush=True)

    def notify(self, method, params):
        self.write({"method": f"notifications/{method}", "params": params})

    def ask(self, method, params):
        """Returns once the client has answered."""
        self.asked += 1
        self.write({"id": f"q{self.asked}", "method": method, "params": params})
        while json.loads(sys.stdin.readline()).get("id") != f"q{self.asked}":
            pass

    def ask_the_user(self):
        can = self.client.get("capabilities", {})
        if "elicitation" in can:
            self.ask("elicitation/create", {"message": text("question"), "requestedSchema": FORM})
            if "url" in (can["elicitation"] or {}):
                # The client refuses an invalid URL without showing it.
                for url in ("https://example.com/" + text("page"), "https://example.com/page"):
                    self.ask("elicitation/create", {"mode": "url", "message": text("page question"), "url": url,
                                                    "elicitationId": "e"})
        if "sampling" in can:
            self.ask("sampling/createMessage", {
                "messages": [{"role": "user", "content": {"type": "text", "text": text("prompt of a model")}}],
                "systemPrompt": text("system"), "maxTokens": 1})

    def call(self, params):
        token = params.get("_meta", {}).get("progressToken")
        if token is not None:
            self.notify("progress", {"progressToken": token, "progress": 1, "total": 2, "message": text("progress")})
        self.notify("message", {"level": "error", "logger": text("logger"), "data": text("log")})
        self.notify("message", {"level": "error", "data": {text("log key"): text("log value")}})
        if params["name"] == "refuses":
            raise Refused
        if params["name"] == "asks":
            self.ask_the_user()
        return {"content": CONTENT, "isError": params["name"] == "fails",
                "structuredContent": {text("member"): text("value")}}

    def answer(self, method, params):
        if method == "initialize":
            self.client = params
            info = {"name": text("server"), "version": text("version"), "websiteUrl": text("website")}
            return {"protocolVersion": text("revision") if sys.argv[1:] == ["revision"] else "2025-11-25",
                    "serverInfo": {**info, **described("server")}, "instructions": text("instructions"),
                    "capabilities": {"tools": {}, "resources": {"subscribe": True}, "prompts": {}, "logging": {},
                                     "completions": {}, "experimental": {text("capability"): {}}}}
        if method == "tools/list":
            tools = [{"name": name, "inputSchema": schema(), "outputSchema": {"type": "object"}}
                     for name in ("plain", "fails", "refuses", "asks")]
            one = {"type": "object", "properties": {text("argument"): {}}}
            return {"tools": [*tools, {"name": "one", "inputSchema": one}, {"name": "strict", "inputSchema": {"type": "object", "required": [text("needed")]}},
                              {"name": text("tool"), "inputSchema": schema(), "outputSchema": schema(),
                               **described("tool")}]}
        if method == "resources/list":
            return {"resources": [{**RESOURCE, **described("resource")}]}
        if method == "resources/templates/list":
            return {"resourceTemplates": [{"uriTemplate": "x://{a}" + text("template"), "mimeType": text("type"),
                                           "name": text("template name"), **described("template")}]}
        if method == "prompts/list":
            argument = {"name": text("prompt argument"), "description": text("about it")}
            return {"prompts": [{"name": "prompt"}, {"name": "strict", "arguments": [{**argument, "required": True}]},
                                {"name": text("prompt"), "arguments": [argument], **described("prompt")}]}
        if method == "prompts/get":
            return {"description": text("prompt result"),
                    "messages": [{"role": "user", "content": each} for each in CONTENT]}
        if method == "resources/read":
            return {"contents": CONTENTS}
        if method == "completion/complete":
            return {"completion": {"values": [text("completion")], "hasMore": True, "total": 7}}
        if method == "resources/subscribe":
            self.notify("resources/updated", {"uri": params["uri"]})
        if method == "tools/call":
            return self.call(params)
        if method in ("ping", "resources/subscribe", "resources/unsubscribe", "logging/setLevel"):
            return {}
        raise Refused

    def serve(self):
        for line in sys.stdin:
            request = json.loads(line)
            if "id" not in request or "method" not in request:
                continue
            print(text("stderr"), file=sys.stderr, flush=True)
            try:
                self.write({"id": request["id"], "result": self.answer(request["method"], request.get("params", {}))})
            except Refused:
                error = {"code": -32000, "message": text("error"), "data": {text("data key"): text("data")}}
                self.write({"id": request["id"], "error": error})


Server().serve()
