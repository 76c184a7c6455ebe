"""A server of FastMCP, version 2, 3 or 4, with the features that sdk_server_test.py expects, over stdin and stdout, or
with --http at a URL that it prints. FastMCP does not support completion."""

import sys
from dataclasses import dataclass

from fastmcp import Context, FastMCP
from fastmcp.exceptions import ToolError

import serve_http

server = FastMCP("fastmcp-peer", instructions="A peer for interop tests")


@dataclass
class Sum:
    sum: float


@dataclass
class Name:
    name: str


@server.tool
def echo(text: str) -> str:
    """Say the same again"""
    return text


@server.tool
def add(a: float, b: float) -> Sum:
    """Add two numbers"""
    return Sum(a + b)


@server.tool
async def count_down(start: int, ctx: Context) -> str:
    """Report progress"""
    for step in range(1, start + 1):
        await ctx.report_progress(step, start, f"{start - step} to go")
    return "done"


@server.tool
def fail() -> str:
    """Fail"""
    raise ToolError("on purpose")


@server.tool
async def ask_user(ctx: Context) -> str:
    """Ask the user"""
    answer = await ctx.elicit("What is your name?", Name)
    return f"Hello, {answer.data.name}!"


if hasattr(Context, "sample"):  # not in version 4
    @server.tool
    async def ask_model(ctx: Context) -> str:
        """Ask the client's model"""
        answer = await ctx.sample("six times seven", max_tokens=10)
        return f"the model says {answer.text}"


@server.resource("peer://text", mime_type="text/plain")
def text() -> str:
    """Some text"""
    return "some text"


@server.resource("peer://item/{number}", mime_type="text/plain")
def item(number: str) -> str:
    """An item"""
    return f"item {number}"


@server.prompt
def greet(name: str) -> str:
    """Greet somebody"""
    return f"Say hello to {name}"


if __name__ == "__main__":
    if sys.argv[1:] == ["--http"]:
        serve_http.serve(server.http_app(path="/mcp"))
    else:
        server.run("stdio", show_banner=False)
