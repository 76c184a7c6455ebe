"""A server of the Python SDK, version 2, with the features that tests/interop/sdk_server_test.py expects, over stdin and
stdout, or with --http at a URL that it prints."""

import sys
from typing import Annotated

from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.mcpserver.resolve import Elicit, Resolve, Sample
from mcp_types import Completion, CreateMessageResult, PromptReference, SamplingMessage, TextContent
from pydantic import BaseModel

import serve_http

server = MCPServer("python-peer", instructions="A peer for interop tests")


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


def ask_for_name() -> Elicit[Name]:
    return Elicit("What is your name?", Name)


@server.tool()
def ask_user(answer: Annotated[Name, Resolve(ask_for_name)]) -> str:
    """Ask the user"""
    return f"Hello, {answer.name}!"


def ask_the_model() -> Sample:
    return Sample([SamplingMessage(role="user", content=TextContent(type="text", text="six times seven"))], max_tokens=10)


@server.tool()
def ask_model(answer: Annotated[CreateMessageResult, Resolve(ask_the_model)]) -> str:
    """Ask the client's model"""
    content = answer.content[0] if isinstance(answer.content, list) else answer.content
    return f"the model says {content.text}"


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
async def complete(ref, argument, context):
    if isinstance(ref, PromptReference) and argument.name == "name":
        return Completion(values=[each for each in ("Ada", "Alan", "Grace") if each.startswith(argument.value)])
    return None


if __name__ == "__main__":
    if sys.argv[1:] == ["--http"]:
        serve_http.serve(server.streamable_http_app())
    else:
        server.run("stdio")
