"""The workspace as tools for any MCP client: writes a skill, finds it again, and reads it."""
import asyncio
import time

from connect import API_KEY, URL, check
from mcp import Client
from mcp.client.streamable_http import create_mcp_http_client, streamable_http_client


async def main():
    http_client = create_mcp_http_client(headers={"authorization": f"Bearer {API_KEY}"})
    async with Client(streamable_http_client(f"{URL}/mcp", http_client=http_client)) as client:
        tools = (await client.list_tools()).tools
        print(f"Tools: {', '.join(tool.name for tool in tools)}")

        skill = f"release-notes-{time.time_ns()}"
        definition = {"description": "How we write release notes", "body": "Begin with what users notice."}
        await client.call_tool("create_skill", {"name": skill, "definition": definition})
        read = await client.read_resource(f"skill://{skill}/SKILL.md")
        for content in read.contents:
            print(content.text)
        await client.call_tool("delete_skill", {"skill": skill})


check()
asyncio.run(main())
