"""Drives agents and conversations with the official SDK. Arguments: address, key, model. Prints what came back as JSON."""

import asyncio
import json
import sys

from mistralai.client import Mistral

url, key, model = sys.argv[1:4]
client = Mistral(server_url=url, api_key=key)
beta = client.beta
seen = {}


def text(stream):
    return "".join(event.data.content for event in stream if event.event == "message.output.delta")


agent = beta.agents.create(model=model, name="Poet", instructions="Rhyme.")
seen["agent_version"] = agent.version
seen["updated"] = beta.agents.update(agent_id=agent.id, instructions="Prose.").version
seen["switched"] = beta.agents.update_version(agent_id=agent.id, version=0).instructions
seen["versions"] = [one.version for one in beta.agents.list_versions(agent_id=agent.id)]
seen["version"] = beta.agents.get_version(agent_id=agent.id, version="1").instructions
seen["alias"] = beta.agents.create_version_alias(agent_id=agent.id, alias="stable", version=1).version
seen["aliases"] = [one.alias for one in beta.agents.list_version_aliases(agent_id=agent.id)]
seen["by_alias"] = beta.agents.get(agent_id=agent.id, agent_version="stable").instructions
beta.agents.delete_version_alias(agent_id=agent.id, alias="stable")
seen["listed"] = agent.id in [one.id for one in beta.agents.list()]
seen["paged"] = agent.id in [one.id for one in beta.agents.list_pages().result.data]
seen["completed"] = client.agents.complete(
    agent_id=agent.id, messages=[{"role": "user", "content": "Hi"}]
).choices[0].message.content

stream = client.agents.stream(agent_id=agent.id, messages=[{"role": "user", "content": "Hi"}])
seen["completed_stream"] = "".join(event.data.choices[0].delta.content or "" for event in stream)

started = beta.conversations.start(model=model, inputs="Hi", metadata={"team": "blue"})
conversation = started.conversation_id
seen["started"] = started.outputs[0].content
seen["appended"] = beta.conversations.append(conversation_id=conversation, inputs=[{"role": "user", "content": "More"}]).outputs[0].content
seen["start_stream"] = text(beta.conversations.start_stream(agent_id=agent.id, inputs="Hi"))
seen["append_stream"] = text(beta.conversations.append_stream(conversation_id=conversation, inputs="Again"))
history = beta.conversations.get_history(conversation_id=conversation).entries
seen["history"] = [entry.type for entry in history]
seen["messages"] = len(beta.conversations.get_messages(conversation_id=conversation).messages)
restarted = beta.conversations.restart(conversation_id=conversation, from_entry_id=history[1].id, inputs="Otherwise")
seen["restarted"] = restarted.conversation_id != conversation
seen["restart_stream"] = text(
    beta.conversations.restart_stream(conversation_id=conversation, from_entry_id=history[1].id, inputs="Otherwise")
)
seen["got"] = beta.conversations.get(conversation_id=conversation).model
seen["found"] = [one.id for one in beta.conversations.list(metadata={"team": "blue"})][-1] == conversation
beta.conversations.delete(conversation_id=conversation)
try:
    beta.conversations.get(conversation_id=conversation)
except Exception as error:
    seen["gone"] = error.status_code

async def later():
    stream = await beta.conversations.start_stream_async(model=model, inputs="Hi")
    return "".join([event.data.content async for event in stream if event.event == "message.output.delta"])


seen["async_stream"] = asyncio.run(later())

# Whoever runs this tells the model what to say next, and needs the agent's id for it.
print(agent.id, flush=True)
sys.stdin.readline()
first = beta.agents.create(model=model, name="First", handoffs=[agent.id])
seen["handed_over"] = [event.event for event in beta.conversations.start_stream(agent_id=first.id, inputs="Hi")]
weather = {"type": "function", "function": {"name": "weather", "parameters": {"type": "object"}}}
asked = beta.conversations.start(model=model, inputs="Weather?", tools=[weather])
called = asked.outputs[0]
seen["called"] = [called.type, called.name]
result = {"type": "function.result", "tool_call_id": called.tool_call_id, "result": "sun"}
seen["answered"] = beta.conversations.append(conversation_id=asked.conversation_id, inputs=[result]).outputs[0].content
beta.agents.delete(agent_id=agent.id)

print(json.dumps(seen))
