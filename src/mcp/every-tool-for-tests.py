"""Connects with the official Python client in both eras, calls every tool, and prints what came back as JSON lines."""
import asyncio
import json
import sys

from mcp import Client
from mcp.client.streamable_http import create_mcp_http_client, streamable_http_client

url, key, library, document = sys.argv[1:5]
MODES = sys.argv[5:]
DEFINITION = {
    "description": "Written by Python",
    "body": "Read on.\n",
    "assets": {"notes.md": {"textContent": "Notes.\n"}},
}


def calls(skill: str) -> list[tuple[str, dict]]:
    return [
        ("create_skill", {"name": skill, "definition": DEFINITION}),
        ("create_skill_version", {"skill": skill, "definition": {**DEFINITION, "body": "Read more.\n"}}),
        ("list_skills", {"query": skill}),
        ("get_skill", {"skill": skill}),
        ("read_skill_file", {"skill": skill, "path": "notes.md"}),
        ("list_skill_versions", {"skill": skill}),
        ("move_skill_alias", {"skill": skill, "alias": "main", "version": 1}),
        ("share_skill", {"skill": skill, "sharingScope": "workspace"}),
        ("delete_skill", {"skill": skill}),
        ("list_libraries", {}),
        ("search_libraries", {"query": "water", "library_ids": [library]}),
        ("read_document", {"library_id": library, "document_id": document}),
    ]


async def run(mode: str, skill: str) -> None:
    http_client = create_mcp_http_client(headers={"authorization": f"Bearer {key}"})
    async with Client(streamable_http_client(url, http_client=http_client), mode=mode) as client:
        called = []
        for name, arguments in calls(skill):
            result = await client.call_tool(name, arguments)
            called.append({"name": name, "failed": bool(result.is_error), "result": result.structured_content})
        tools = [tool.name for tool in (await client.list_tools()).tools]
        resources = [str(resource.uri) for resource in (await client.list_resources()).resources]
        prompts = [prompt.name for prompt in (await client.list_prompts()).prompts]
        print(
            json.dumps(
                {
                    "protocol": client.protocol_version,
                    "called": called,
                    "tools": tools,
                    "resources": resources,
                    "prompts": prompts,
                }
            ),
            flush=True,
        )


async def main() -> None:
    for mode in MODES:
        await run(mode, f"python-{mode}")


asyncio.run(main())
