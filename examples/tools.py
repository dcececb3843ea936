"""Function calling: the model asks for a function, this program runs it, until the model has its answer."""
import json
import sys

from connect import MODEL, connect

TURNS_MAX = 5
ORDERS = {
    "A-17": {"status": "shipped", "arrives": "Thursday"},
    "B-04": {"status": "waiting for payment"},
}


def order_status(order_id):
    return ORDERS.get(order_id, {"error": f"There is no order {order_id}."})


FUNCTIONS = {"order_status": order_status}
TOOLS = [
    {
        "type": "function",
        "function": {
            "name": "order_status",
            "description": "Look up an order by its id",
            "parameters": {"type": "object", "properties": {"order_id": {"type": "string"}}, "required": ["order_id"]},
        },
    }
]

client = connect()
question = sys.argv[1] if len(sys.argv) > 1 else "When does my order A-17 arrive?"
messages = [{"role": "user", "content": question}]

for turn in range(TURNS_MAX):
    # A small model often forgets its functions; the first turn has to call one.
    tool_choice = "any" if turn == 0 else "auto"
    response = client.chat.complete(model=MODEL, messages=messages, tools=TOOLS, tool_choice=tool_choice)
    message = response.choices[0].message
    if not message.tool_calls:
        print(message.content)
        break
    messages.append(message)
    for call in message.tool_calls:
        arguments = call.function.arguments
        given = json.loads(arguments) if isinstance(arguments, str) else arguments
        result = json.dumps(FUNCTIONS[call.function.name](**given))
        print(f"{call.function.name}({json.dumps(given)}) → {result}")
        messages.append({"role": "tool", "name": call.function.name, "tool_call_id": call.id, "content": result})
