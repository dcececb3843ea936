"""Speech, written to a file: python examples/speech.py "Good morning." morning.mp3"""
import base64
import sys
from pathlib import Path

from connect import connect

client = connect()
text = sys.argv[1] if len(sys.argv) > 1 else "Good morning. The wind comes from the north today."
path = Path(sys.argv[2] if len(sys.argv) > 2 else "speech.wav")
spoken = client.audio.speech.complete(input=text, response_format="mp3" if path.suffix == ".mp3" else "wav")
audio = base64.b64decode(spoken.audio_data)

path.write_bytes(audio)
print(f"{path}: {len(audio)} bytes")
