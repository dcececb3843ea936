"""An agent that may run Python on the server, but only what a person has allowed."""
import sys

from connect import MODEL, connect

client = connect()
agents, conversations = client.beta.agents, client.beta.conversations
agent = agents.create(
    model=MODEL,
    name="Calculator",
    instructions="Compute with Python. Say the result in one sentence.",
    tools=[{"type": "code_interpreter", "tool_configuration": {"requires_confirmation": ["code_interpreter"]}}],
)

question = sys.argv[1] if len(sys.argv) > 1 else "What is the sum of the first hundred primes?"
response = conversations.start(agent_id=agent.id, inputs=question)
while True:
    waiting = []
    for entry in response.outputs:
        if entry.type == "message.output":
            print(entry.content)
        if entry.type == "function.call" and entry.confirmation_status == "pending":
            waiting.append(entry)
    if not waiting:
        break
    confirmations = []
    for call in waiting:
        reply = input(f"{call.name} wants to run:\n{call.arguments}\nAllow it? (y/n) ")
        confirmation = "allow" if reply.startswith("y") else "deny"
        confirmations.append({"tool_call_id": call.tool_call_id, "confirmation": confirmation})
    response = conversations.append(conversation_id=response.conversation_id, tool_confirmations=confirmations)
agents.delete(agent_id=agent.id)
