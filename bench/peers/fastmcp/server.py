"""server.py stdio|stateful|stateless|modern plain|list|text [PORT]: a server of FastMCP."""

import functools
import logging
import pathlib
import sys

import anyio
import uvicorn
from fastmcp import FastMCP

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
from python_tools import add_tools  # noqa: E402

logging.disable(logging.CRITICAL)
mode, tools, *port = sys.argv[1:]
server = FastMCP("fastmcp")


def register(function, name, title, structured):
    schema = {} if structured else {"output_schema": None}
    server.tool(function, name=name, title=title, description=function.__doc__, **schema)


add_tools(tools, register)
if mode == "stdio":
    anyio.run(functools.partial(server.run_stdio_async, show_banner=False), backend_options={"use_uvloop": True})
else:
    app = server.http_app(path="/mcp", json_response=True, stateless_http=mode == "stateless")
    uvicorn.run(app, host="127.0.0.1", port=int(port[0]), loop="uvloop", http="httptools", access_log=False,
                log_level="critical")
