# MCP SDK for Python
# install: pip mcp==2.3.0
# checks: mcp, connectors

import asyncio
import os
from mcp import Client
from mcp.client.streamable_http import create_mcp_http_client, streamable_http_client


def connect(path: str) -> Client:
    http_client = create_mcp_http_client(headers={"authorization": f"Bearer {os.environ['TRAMONTANE_API_KEY']}"})
    return Client(streamable_http_client(os.environ["TRAMONTANE_URL"] + path, http_client=http_client))


async def list_tools() -> None:
    async with connect("/mcp") as client:
        print("mcp:", ", ".join(tool.name for tool in (await client.list_tools()).tools))


asyncio.run(list_tools())
# ---
async def call_connector() -> None:
    async with connect("/v1/connectors-gateway/winds/mcp") as client:
        result = await client.call_tool("wind_of", {"place": "Perpignan"})
        print("connectors:", result.content[0].text)


asyncio.run(call_connector())
