"""Tools over streamable HTTP with the official package: /stateful, /stateless and /json. Prints its port; ends with its input."""

import asyncio
import contextlib
import socket
import sys

import uvicorn
from mcp.server.mcpserver import Image, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import ToolAnnotations
from starlette.applications import Starlette

apps = {}
for kind, options in {
    "stateful": {},
    "stateless": {"stateless_http": True},
    "json": {"json_response": True, "stateless_http": True},
}.items():
    server = MCPServer(kind)

    @server.tool(annotations=ToolAnnotations(readOnlyHint=True))
    def add(a: int, b: int) -> int:
        """Add two numbers."""
        return a + b

    @server.tool()
    def picture() -> Image:
        """Draw."""
        return Image(data=b"\x89PNG not really", format="png")

    @server.tool()
    def fail() -> str:
        """Always fails."""
        raise ToolError("out of paper")

    apps[kind] = server.streamable_http_app(streamable_http_path=f"/{kind}", **options)


@contextlib.asynccontextmanager
async def lifespan(_app):
    async with contextlib.AsyncExitStack() as stack:
        for one in apps.values():
            await stack.enter_async_context(one.router.lifespan_context(one))
        yield


async def main():
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    routes = [route for one in apps.values() for route in one.routes]
    uvicorn_server = uvicorn.Server(uvicorn.Config(Starlette(routes=routes, lifespan=lifespan), log_level="warning"))
    serving = asyncio.create_task(uvicorn_server.serve(sockets=[listener]))
    while not uvicorn_server.started:
        await asyncio.sleep(0.01)
    print(listener.getsockname()[1], flush=True)
    await asyncio.to_thread(sys.stdin.read)
    uvicorn_server.should_exit = True
    await serving


asyncio.run(main())
