"""server.py stdio|stateful|stateless|modern plain|list|text [PORT]: a server of the official Python SDK."""

import logging
import pathlib
import sys

import anyio
import uvicorn
from mcp.server.mcpserver import MCPServer

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
from python_tools import add_tools  # noqa: E402

logging.disable(logging.CRITICAL)
mode, tools, *port = sys.argv[1:]
server = MCPServer("python-sdk", log_level="CRITICAL")


def register(function, name, title, structured):
    server.add_tool(function, name=name, title=title, description=function.__doc__, structured_output=structured)


add_tools(tools, register)
if mode == "stdio":
    anyio.run(server.run_stdio_async, backend_options={"use_uvloop": True})
else:
    app = server.streamable_http_app(json_response=True, stateless_http=mode == "stateless")
    uvicorn.run(app, host="127.0.0.1", port=int(port[0]), loop="uvloop", http="httptools", access_log=False,
                log_level="critical")
