# LiteLLM, OpenAI and Anthropic
# install: pip litellm==1.108.4
# checks: chat, stream, tools, structured, embeddings, responses

import os
from litellm import completion

server = {"api_base": os.environ["TRAMONTANE_URL"] + "/openai/v1", "api_key": os.environ["TRAMONTANE_API_KEY"]}
model = "openai/mistral-small-latest"
question = [{"role": "user", "content": "Which wind blows from the north?"}]
print("chat:", completion(model=model, messages=question, **server).choices[0].message.content)
# ---
import json
from litellm import embedding, responses
from pydantic import BaseModel

order_status = {
    "name": "order_status",
    "description": "When an order arrives",
    "parameters": {"type": "object", "properties": {"order_id": {"type": "string"}}, "required": ["order_id"]},
}
tools = [{"type": "function", "function": order_status}]


class Person(BaseModel):
    name: str
    city: str


def try_server(model: str, server: dict[str, str]) -> dict[str, str]:
    chunks = completion(model=model, messages=question, stream=True, stream_options={"include_usage": True}, **server)
    streamed = "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)
    messages = [{"role": "user", "content": "When does my order A-17 arrive?"}]
    message = completion(model=model, messages=messages, tools=tools, **server).choices[0].message
    call = message.tool_calls[0]
    result = json.loads(call.function.arguments)["order_id"] + " arrives on Thursday"
    messages += [message.model_dump(), {"role": "tool", "tool_call_id": call.id, "content": result}]
    told = completion(model=model, messages=messages, tools=tools, **server).choices[0].message.content
    reply = completion(model=model, messages=question, response_format=Person, **server)
    person = Person.model_validate_json(reply.choices[0].message.content)
    return {"stream": streamed, "tools": told, "structured": f"{person.name}, {person.city}"}


shown = try_server(model, server)
anthropic = {"api_base": os.environ["TRAMONTANE_URL"] + "/anthropic", "api_key": os.environ["TRAMONTANE_API_KEY"]}
assert try_server("anthropic/mistral-small-latest", anthropic) == shown
for check, text in shown.items():
    print(f"{check}: {text}")

vectors = embedding(model="openai/mistral-embed", input=["the wind", "the sea"], **server).data
print(f"embeddings: {len(vectors)} × {len(vectors[0]['embedding'])}")

first = responses(model=model, input="Which wind blows from the north?", **server)
second = responses(model=model, input="Which wind?", previous_response_id=first.id, **server)
print("responses:", second.output[0].content[0].text)
