"""Transcription through the official SDK; prints what came back as one JSON object."""
import json
import sys

from mistralai.client import Mistral

url, key, path = sys.argv[1:4]
transcriptions = Mistral(server_url=url, api_key=key).audio.transcriptions
with open(path, "rb") as file:
    content = file.read()

request = {
    "model": "voxtral-mini-latest",
    "file": {"file_name": "speech.ogg", "content": content},
    "timestamp_granularities": ["segment"],
    "context_bias": ["Tramontane", "Voxtral"],
}
whole = transcriptions.complete(**request)
events = []
with transcriptions.stream(**request) as stream:
    for event in stream:
        events.append({"event": event.event, "data": event.data.model_dump(mode="json")})
print(json.dumps({"whole": whole.model_dump(mode="json"), "events": events}))
