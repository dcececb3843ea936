# LiteLLM
# install: pip litellm==1.108.4
# checks: chat, stream, tools, structured, embeddings, ocr, transcription

import os
from litellm import completion

server = {"api_base": os.environ["TRAMONTANE_URL"] + "/v1", "api_key": os.environ["TRAMONTANE_API_KEY"]}
model = "mistral/mistral-small-latest"
question = [{"role": "user", "content": "Which wind blows from the north?"}]
print("chat:", completion(model=model, messages=question, **server).choices[0].message.content)
# ---
import base64
import json
from litellm import embedding, ocr, transcription
from pydantic import BaseModel

chunks = completion(model=model, messages=question, stream=True, **server)
print("stream:", "".join(chunk.choices[0].delta.content or "" for chunk in chunks))

order_status = {
    "name": "order_status",
    "description": "When an order arrives",
    "parameters": {"type": "object", "properties": {"order_id": {"type": "string"}}, "required": ["order_id"]},
}
messages = [{"role": "user", "content": "When does my order A-17 arrive?"}]
tools = [{"type": "function", "function": order_status}]
message = completion(model=model, messages=messages, tools=tools, **server).choices[0].message
call = message.tool_calls[0]
given = json.loads(call.function.arguments)
messages += [message.model_dump(), {"role": "tool", "tool_call_id": call.id, "name": "order_status", "content": f"{given['order_id']} arrives on Thursday"}]
print("tools:", completion(model=model, messages=messages, tools=tools, **server).choices[0].message.content)


class Person(BaseModel):
    name: str
    city: str


person = Person.model_validate_json(
    completion(model=model, messages=question, response_format=Person, **server).choices[0].message.content
)
print(f"structured: {person.name}, {person.city}")

vectors = embedding(model="mistral/mistral-embed", input=["the wind", "the sea"], **server).data
print(f"embeddings: {len(vectors)} × {len(vectors[0]['embedding'])}")

with open(os.path.join(os.environ["TRAMONTANE_EXAMPLES"], "invoice.pdf"), "rb") as file:
    url = "data:application/pdf;base64," + base64.b64encode(file.read()).decode()
pages = ocr(model="mistral/mistral-ocr-latest", document={"type": "document_url", "document_url": url}, **server).pages
print("ocr:", " ".join(pages[0].markdown.split()))

heard = transcription(model="mistral/voxtral-mini-latest", file=("a.wav", b"RIFF"), **server).text
elsewhere = {**server, "api_base": os.environ["TRAMONTANE_URL"] + "/openai/v1"}
assert transcription(model="openai/voxtral-mini-latest", file=("a.wav", b"RIFF"), **elsewhere).text == heard
print("transcription:", heard)
