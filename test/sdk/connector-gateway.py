"""Uses stored connectors and their gateway with the official SDK. Arguments: address, key, MCP server, HTTP API."""

import asyncio
import json
import sys

from mistralai.client import Mistral
from mistralai.extra.connectors_gateway import ConnectorsGatewayError

url, key, mcp_server, http_api = sys.argv[1:5]
client = Mistral(server_url=url, api_key=key)
connectors = client.beta.connectors
seen = {}

wiki = connectors.create(request={"name": "py-wiki", "description": "Pages", "server": mcp_server, "protocol": "mcp"})
api = connectors.create(request={"name": "py-api", "description": "API", "server": http_api, "protocol": "http"})
seen["created"] = [wiki.protocol, wiki.owner_type, api.protocol, api.supports_mcp]
seen["stored"] = connectors.create_credentials(
    connector_id_or_name="py-api",
    consumer_scope="user",
    name="main",
    credentials={"bearer_token": "a-token-of-python"},
).message
seen["credentials"] = [
    [one.name, one.authentication_type, one.scope]
    for one in connectors.list_user_credentials(connector_id_or_name="py-api").credentials
]
seen["names"] = [one.name for one in connectors.list().items]
seen["tools"] = [tool.name for tool in connectors.list_tools(connector_id_or_name="py-wiki")]
called = connectors.call_tool(connector_id_or_name="py-wiki", tool_name="echo", arguments={"text": "salut"})
seen["called"] = called.content[0].text


async def through_gateway():
    async with connectors.mcp_client(connector_id_or_name="py-wiki") as session:
        seen["mcp tools"] = [tool.name for tool in (await session.list_tools()).tools]
        seen["mcp call"] = (await session.call_tool("echo", {"text": "encore"})).content[0].text
    async with connectors.http_client(connector_id_or_name="py-api") as http:
        response = await http.get("winds/tramontane", params={"unit": "knots"})
        seen["http get"] = [response.status_code, response.json()]
        response = await http.post("winds", content=b"a,b", headers={"content-type": "text/csv"})
        seen["http post"] = [response.status_code, response.json()]
        response = await http.get("missing")
        seen["http error"] = response.status_code
    for name, suffix in [("nowhere", "http"), ("py-wiki", "http")]:
        try:
            async with connectors.http_client(connector_id_or_name=name) as http:
                await http.get("x")
        except ConnectorsGatewayError as error:
            seen[f"refused {name}"] = [error.response.status_code, error.proxy_error]
    try:
        async with connectors.mcp_client(connector_id_or_name="nowhere"):
            pass
    except ConnectorsGatewayError as error:
        seen["refused mcp"] = [error.response.status_code, error.proxy_error]


asyncio.run(through_gateway())
connectors.delete_credentials(connector_id_or_name="py-api", consumer_scope="user", credentials_name="main")
for one in (wiki, api):
    connectors.delete(connector_id=one.id)
seen["left"] = [one.name for one in connectors.list().items]
print(json.dumps(seen))
