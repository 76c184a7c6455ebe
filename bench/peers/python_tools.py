"""The tools of the servers in Python, as coroutines: plain functions would run on another thread."""

from typing import Annotated

from pydantic import BaseModel, Field

SENTENCE = 'The quick brown fox "jumps" over the lazy dog, and nobody minds it at all.\n'
MEGABYTE = (SENTENCE * (1_000_000 // len(SENTENCE) + 1))[:1_000_000]


class Sum(BaseModel):
    sum: float


async def echo(text: str) -> str:
    """Says the text back"""
    return text


async def add(a: float, b: float) -> Sum:
    """Adds two numbers"""
    return Sum(sum=a + b)


async def find(path: Annotated[str, Field(description="Where to look")], limit: Annotated[int, Field(ge=1, le=100)],
               recursive: bool = False) -> str:
    """Does one of the many things that a tool can do, and says so in a sentence of ordinary length."""
    return path


async def text() -> str:
    """Gives a megabyte of text"""
    return MEGABYTE


def add_tools(tools, register):
    """Calls register(function, name, title, structured) for every tool of the set."""
    if tools == "list":
        for i in range(80):
            register(find, f"tool_{i}", f"Tool number {i}", False)
    elif tools == "text":
        register(text, "text", None, False)
    else:
        register(echo, "echo", None, False)
        register(add, "add", None, True)
