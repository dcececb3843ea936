# OpenAI SDK for Python
# install: pip openai==3.49.0
# checks: chat, stream, tools, structured, embeddings, transcription

import os
from openai import OpenAI

client = OpenAI(base_url=os.environ["TRAMONTANE_URL"] + "/v1", api_key=os.environ["TRAMONTANE_API_KEY"])
question = [{"role": "user", "content": "Which wind blows from the north?"}]
reply = client.chat.completions.create(model="mistral-small-latest", messages=question)
print("chat:", reply.choices[0].message.content)
# ---
import json
from pydantic import BaseModel

model = "mistral-small-latest"
chunks = client.chat.completions.create(model=model, messages=question, stream=True)
print("stream:", "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices))

order_status = {
    "name": "order_status",
    "description": "When an order arrives",
    "parameters": {"type": "object", "properties": {"order_id": {"type": "string"}}, "required": ["order_id"]},
}
messages = [{"role": "user", "content": "When does my order A-17 arrive?"}]
tools = [{"type": "function", "function": order_status}]
message = client.chat.completions.create(model=model, messages=messages, tools=tools).choices[0].message
call = message.tool_calls[0]
given = json.loads(call.function.arguments)
messages += [message, {"role": "tool", "tool_call_id": call.id, "content": f"{given['order_id']} arrives on Thursday"}]
print("tools:", client.chat.completions.create(model=model, messages=messages, tools=tools).choices[0].message.content)


class Person(BaseModel):
    name: str
    city: str


parsed = client.chat.completions.parse(model=model, messages=question, response_format=Person)
person = parsed.choices[0].message.parsed
print(f"structured: {person.name}, {person.city}")

vectors = client.embeddings.create(model="mistral-embed", input=["the wind", "the sea"]).data
print(f"embeddings: {len(vectors)} × {len(vectors[0].embedding)}")

speech = OpenAI(base_url=os.environ["TRAMONTANE_URL"] + "/openai/v1", api_key=os.environ["TRAMONTANE_API_KEY"])
heard = lambda **more: speech.audio.transcriptions.create(model="voxtral-mini-latest", file=("a.wav", b"RIFF"), **more)
verbose = heard(response_format="verbose_json", timestamp_granularities=["word", "segment"])
assert verbose.language == "english" and verbose.words[1].word == "tramontane," and verbose.segments[0].id == 0
assert "00:00:00,000 --> 00:00:02,500" in heard(response_format="srt")
assert heard(response_format="vtt").startswith("WEBVTT")
assert heard(response_format="text").strip() == heard().text == verbose.text
events = list(heard(stream=True))
assert events[-1].type == "transcript.text.done" and events[-1].text == verbose.text
print("transcription:", "".join(event.delta for event in events[:-1]))
