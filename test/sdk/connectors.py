"""Uses a connector with the official SDK. Arguments: address, key, model. Prints what came back as JSON."""

import json
import sys

from mistralai.client import Mistral

url, key, model = sys.argv[1:4]
beta = Mistral(server_url=url, api_key=key).beta
seen = {}

tool = {"type": "connector", "connector_id": "wiki"}
guarded = {
    **tool,
    "authorization": {"type": "oauth2-token", "value": "my-own-token"},
    "tool_configuration": {"requires_confirmation": ["echo"]},
}
started = beta.conversations.start(model=model, inputs="Hi", tools=[guarded])
conversation = started.conversation_id
pending = started.outputs[0]
seen["pending"] = [pending.type, pending.name, pending.confirmation_status]
shown = beta.conversations.get(conversation_id=conversation).tools[0]
confirmation = shown.tool_configuration.requires_confirmation[0]
seen["shown"] = [shown.type, shown.connector_id, confirmation, shown.authorization.value]
confirmed = beta.conversations.append_stream(
    conversation_id=conversation,
    tool_confirmations=[{"tool_call_id": pending.tool_call_id, "confirmation": "allow"}],
)
seen["confirmed"] = [event.event for event in confirmed]
entries = beta.conversations.get_history(conversation_id=conversation).entries
execution = next(entry for entry in entries if entry.type == "tool.execution")
seen["execution"] = [execution.name, execution.info["connector_id"], execution.info["content"][0]["text"]]
seen["message"] = entries[-1].content

agent = beta.agents.create(model=model, name="Clerk", tools=[tool], metadata={"skills": []})
seen["agent"] = [event.event for event in beta.conversations.start_stream(agent_id=agent.id, inputs="Hi")]
seen["skills"] = beta.agents.update(agent_id=agent.id, metadata={"skills": ["tides"]}).metadata["skills"]
print(json.dumps(seen))
