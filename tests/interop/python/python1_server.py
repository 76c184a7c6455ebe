"""A server of the Python SDK, version 1, with the features that sdk_server_test.py expects, over stdin and stdout, or
with --http at a URL that it prints."""

import sys

from mcp.server.fastmcp import Context, FastMCP
from mcp.server.fastmcp.exceptions import ToolError
from mcp.types import Completion, PromptReference, SamplingMessage, TextContent
from pydantic import BaseModel

import serve_http

server = FastMCP("python1-peer", instructions="A peer for interop tests")


class Sum(BaseModel):
    sum: float


class Name(BaseModel):
    name: str


@server.tool()
def echo(text: str) -> str:
    """Say the same again"""
    return text


@server.tool()
def add(a: float, b: float) -> Sum:
    """Add two numbers"""
    return Sum(sum=a + b)


@server.tool()
async def count_down(start: int, ctx: Context) -> str:
    """Report progress"""
    for step in range(1, start + 1):
        await ctx.report_progress(step, start, f"{start - step} to go")
    return "done"


@server.tool()
def fail() -> str:
    """Fail"""
    raise ToolError("on purpose")


@server.tool()
async def ask_user(ctx: Context) -> str:
    """Ask the user"""
    answer = await ctx.elicit("What is your name?", Name)
    return f"Hello, {answer.data.name}!"


@server.tool()
async def ask_model(ctx: Context) -> str:
    """Ask the client's model"""
    message = SamplingMessage(role="user", content=TextContent(type="text", text="six times seven"))
    answer = await ctx.session.create_message([message], max_tokens=10, related_request_id=ctx.request_id)
    return f"the model says {answer.content.text}"


@server.resource("peer://text", mime_type="text/plain")
def text() -> str:
    """Some text"""
    return "some text"


@server.resource("peer://item/{number}", mime_type="text/plain")
def item(number: str) -> str:
    """An item"""
    return f"item {number}"


@server.prompt()
def greet(name: str) -> str:
    """Greet somebody"""
    return f"Say hello to {name}"


@server.completion()
async def complete(ref, argument, _context):
    if isinstance(ref, PromptReference) and argument.name == "name":
        return Completion(values=[each for each in ("Ada", "Alan", "Grace") if each.startswith(argument.value)])
    return None


if __name__ == "__main__":
    if sys.argv[1:] == ["--http"]:
        serve_http.serve(server.streamable_http_app())
    else:
        server.run("stdio")
