"""Serves an ASGI application at a free port of the loopback address, prints its URL, and exits when stdin ends."""

import os
import socket
import sys
import threading

import uvicorn


def end_with_stdin():
    sys.stdin.read()
    os._exit(0)


def serve(application):
    listener = socket.create_server(("127.0.0.1", 0))
    print(f"http://127.0.0.1:{listener.getsockname()[1]}/mcp", flush=True)
    threading.Thread(target=end_with_stdin, daemon=True).start()
    uvicorn.Server(uvicorn.Config(application, log_level="warning")).run(sockets=[listener])
