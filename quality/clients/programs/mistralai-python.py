# Mistral SDK for Python
# install: pip mistralai[realtime]==3.7.0
# checks: chat, stream, tools, structured, embeddings, fim, ocr, agents, files, transcription, live
# note: Two of the SDK's own examples fail against every server: `async_conversation_run_mcp.py` and `async_conversation_run_stream.py` end with `MCPError: Connection closed`, because they look for `mcp_servers/` in their own folder and the program in it needs `mcp` below version 2, which the SDK does not allow. `async_agents_no_streaming.py` works, and waits for the whole answer: a built-in model on a slow machine may need minutes for it, because the example sets no `max_tokens`.

import os
from mistralai.client import Mistral

mistral = Mistral(server_url=os.environ["TRAMONTANE_URL"], api_key=os.environ["TRAMONTANE_API_KEY"])
question = [{"role": "user", "content": "Which wind blows from the north?"}]
reply = mistral.chat.complete(model="mistral-small-latest", messages=question)
print("chat:", reply.choices[0].message.content)
# ---
import asyncio
import base64
import json
import math
import struct
from pydantic import BaseModel

model = "mistral-small-latest"
chunks = mistral.chat.stream(model=model, messages=question)
print("stream:", "".join(chunk.data.choices[0].delta.content or "" for chunk in chunks if chunk.data.choices))

order_status = {
    "name": "order_status",
    "description": "When an order arrives",
    "parameters": {"type": "object", "properties": {"order_id": {"type": "string"}}, "required": ["order_id"]},
}
messages = [{"role": "user", "content": "When does my order A-17 arrive?"}]
tools = [{"type": "function", "function": order_status}]
message = mistral.chat.complete(model=model, messages=messages, tools=tools).choices[0].message
call = message.tool_calls[0]
given = json.loads(call.function.arguments)
messages += [message, {"role": "tool", "tool_call_id": call.id, "name": call.function.name, "content": f"{given['order_id']} arrives on Thursday"}]
print("tools:", mistral.chat.complete(model=model, messages=messages, tools=tools).choices[0].message.content)


class Person(BaseModel):
    name: str
    city: str


person = mistral.chat.parse(response_format=Person, model=model, messages=question).choices[0].message.parsed
print(f"structured: {person.name}, {person.city}")

vectors = mistral.embeddings.create(model="mistral-embed", inputs=["the wind", "the sea"]).data
print(f"embeddings: {len(vectors)} × {len(vectors[0].embedding)}")

filled = mistral.fim.complete(model="codestral-latest", prompt="def add(a, b):\n", suffix="\n")
print("fim:", filled.choices[0].message.content)

with open(os.path.join(os.environ["TRAMONTANE_EXAMPLES"], "invoice.pdf"), "rb") as file:
    url = "data:application/pdf;base64," + base64.b64encode(file.read()).decode()
pages = mistral.ocr.process(model="mistral-ocr-latest", document={"type": "document_url", "document_url": url}).pages
print("ocr:", " ".join(pages[0].markdown.split()))

agent = mistral.beta.agents.create(model=model, name="Meteorologist", instructions="Name the wind.")
conversation = mistral.beta.conversations.start(agent_id=agent.id, inputs="Which wind blows from the north?")
print("agents:", conversation.outputs[-1].content)

file = mistral.files.upload(file={"file_name": "notes.txt", "content": b"wind"}, purpose="ocr")
print("files:", mistral.files.retrieve(file_id=file.id).filename)

sound = {"file_name": "a.wav", "content": b"RIFF"}
whole = mistral.audio.transcriptions.complete(model="voxtral-mini-latest", file=sound, timestamp_granularities=["segment"])
assert whole.language == "en" and whole.segments[0].end == 2.5
events = list(mistral.audio.transcriptions.stream(model="voxtral-mini-latest", file=sound))
assert events[-1].event == "transcription.done" and events[-1].data.text == whole.text
print("transcription:", "".join(event.data.text for event in events if event.event == "transcription.text.delta"))


async def tone():
    for tenth in range(10):
        yield struct.pack("<1600h", *(int(9000 * math.sin(at / 6)) for at in range(1600)))


async def follow():
    live = mistral.audio.realtime.transcribe_stream(tone(), model="voxtral-mini-latest")
    return [event async for event in live][-1].text


print("live:", asyncio.run(follow()))
