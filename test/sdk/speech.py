"""Speech and voices through the official SDK; prints what came back as one JSON object."""
import base64
import json
import sys

from mistralai.client import Mistral

url, key = sys.argv[1], sys.argv[2]
audio = Mistral(server_url=url, api_key=key).audio

whole, streamed, usage = {}, {}, None
for format in ["mp3", "wav", "pcm", "flac", "opus"]:
    whole[format] = audio.speech.complete(input="Good day to you.", response_format=format, voice_id="ben").audio_data
    pieces = []
    with audio.speech.complete(input="Good day to you.", response_format=format, stream=True) as events:
        for event in events:
            if event.event == "speech.audio.delta":
                pieces.append(base64.b64decode(event.data.audio_data))
            else:
                usage = event.data.usage.model_dump(mode="json")
    streamed[format] = base64.b64encode(b"".join(pieces)).decode()

voices = audio.voices
sample = whole["wav"]
created = voices.create(name="Eva", languages=["hu"], sample_audio=sample, sample_filename="eva.wav")
updated = voices.update(voice_id=created.id, name="Evi", tags=["calm"], retention_notice=7)
result = {
    "whole": whole,
    "streamed": streamed,
    "usage": usage,
    "created": created.model_dump(mode="json"),
    "updated": updated.model_dump(mode="json"),
    "got": voices.get(voice_id=created.slug).model_dump(mode="json"),
    "presets": [voice.slug for voice in voices.list(type_="preset", limit=1, offset=1).items],
    "sample": base64.b64encode(voices.get_sample_audio(voice_id=created.id).read()).decode() == sample,
    "preset_sample": voices.get_sample_audio(voice_id="anna").read()[:4].decode(),
    "deleted": voices.delete(voice_id=created.id).id == created.id,
}
print(json.dumps(result))
