# FastMCP
# install: pip fastmcp==4.1.4
# checks: mcp, connectors

import asyncio
import os
from fastmcp import Client
from fastmcp.client.transports import StreamableHttpTransport


def connect(path: str) -> Client:
    headers = {"Authorization": f"Bearer {os.environ['TRAMONTANE_API_KEY']}"}
    return Client(StreamableHttpTransport(os.environ["TRAMONTANE_URL"] + path, headers=headers))


async def list_tools() -> None:
    async with connect("/mcp") as client:
        print("mcp:", ", ".join(tool.name for tool in await client.list_tools()))


asyncio.run(list_tools())
# ---
async def call_connector() -> None:
    async with connect("/v1/connectors-gateway/winds/mcp") as client:
        result = await client.call_tool("wind_of", {"place": "Perpignan"})
        print("connectors:", result.content[0].text)


asyncio.run(call_connector())
