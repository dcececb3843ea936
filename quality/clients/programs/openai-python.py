# OpenAI SDK for Python
# install: pip openai==3.49.0
# checks: chat, stream, tools, structured, embeddings, files, responses, batches, transcription

import os
from openai import OpenAI

client = OpenAI(base_url=os.environ["TRAMONTANE_URL"] + "/openai/v1", api_key=os.environ["TRAMONTANE_API_KEY"])
question = [{"role": "user", "content": "Which wind blows from the north?"}]
reply = client.chat.completions.create(model="mistral-small-latest", messages=question)
print("chat:", reply.choices[0].message.content)
# ---
import io
import json
import time
from pydantic import BaseModel

model = "mistral-small-latest"
chunks = list(
    client.chat.completions.create(model=model, messages=question, stream=True, stream_options={"include_usage": True})
)
assert chunks[-1].usage.total_tokens == 10
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
assert client.responses.parse(model=model, input="Who?", text_format=Person).output_parsed == parsed.choices[0].message.parsed
person = parsed.choices[0].message.parsed
print(f"structured: {person.name}, {person.city}")

# Without an encoding_format the SDK asks for base64.
vectors = client.embeddings.create(model="mistral-embed", input=["the wind", "the sea"]).data
print(f"embeddings: {len(vectors)} × {len(vectors[0].embedding)}")

file = client.files.create(file=("notes.txt", b"north"), purpose="user_data")
assert client.files.content(file.id).read() == b"north"
listed = [one for one in client.files.list() if one.id == file.id]
assert client.files.delete(file.id).deleted
print("files:", listed[0].filename)

first = client.responses.create(model=model, input="Which wind blows from the north?", instructions="Be brief.")
assert client.responses.retrieve(first.id).output == first.output
asked = client.responses.create(
    model=model,
    input="When does my order A-17 arrive?",
    previous_response_id=first.id,
    tools=[{"type": "function", "strict": False, **order_status}],
)
[call] = [item for item in asked.output if item.type == "function_call"]
output = {"type": "function_call_output", "call_id": call.call_id, "output": "A-17 arrives on Thursday"}
told = client.responses.create(model=model, input=[output], previous_response_id=asked.id)
assert "Thursday" in told.output_text
assert [item.type for item in client.responses.input_items.list(told.id)] == ["function_call_output"]
with client.responses.stream(model=model, input="Which wind?", previous_response_id=first.id) as stream:
    events = list(stream)
    final = stream.get_final_response()
resumed = list(client.responses.retrieve(final.id, stream=True, starting_after=events[3].sequence_number))
assert [event.sequence_number for event in resumed] == [event.sequence_number for event in events[4:]]
later = client.responses.create(model=model, input="Which wind?", background=True)
while later.status in ("queued", "in_progress"):
    time.sleep(0.05)
    later = client.responses.retrieve(later.id)
assert later.output_text == final.output_text
held = client.responses.create(model=model, input="Take your time.", background=True)
assert client.responses.cancel(held.id).status == "cancelled"
client.responses.delete(held.id)
assert client.responses.input_tokens.count(model=model, input="Which wind?").input_tokens > 0
print("responses:", later.output_text)

lines = [
    {"custom_id": str(id), "method": "POST", "url": "/v1/responses", "body": {"model": model, "input": "Which wind?"}}
    for id in range(2)
]
file = client.files.create(file=("in.jsonl", io.BytesIO("\n".join(map(json.dumps, lines)).encode())), purpose="batch")
batch = client.batches.create(input_file_id=file.id, endpoint="/v1/responses", completion_window="24h")
while batch.status in ("validating", "in_progress", "finalizing"):
    time.sleep(0.1)
    batch = client.batches.retrieve(batch.id)
assert batch.id in [one.id for one in client.batches.list()]
results = [json.loads(line) for line in client.files.content(batch.output_file_id).text.splitlines()]
assert [result["response"]["status_code"] for result in results] == [200, 200]
print("batches:", results[0]["response"]["body"]["output"][0]["content"][0]["text"])

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
