"""What schemathesis must be told about our API, each with its reason."""

import json
import os
import uuid
import zlib
from contextlib import suppress
from urllib.parse import urlencode

import schemathesis
from jsonschema_rs import Draft202012Validator
from schemathesis.core.deserialization import _parse_sse_events
from schemathesis.core.parameters import ParameterLocation
from schemathesis.generation.meta import TestPhase
from schemathesis.transport.serialization import contains_binary

# How long a request may ask to be kept waiting, by the name of the field, with the longest that is valid.
PATIENCE = {"wait_ms": (50, 60_000), "timeout_seconds": (0.5, 86_400)}

# What fits beside the headers.
ADDRESS_BYTES_MAX = 14_000

# What exists, by the names that parameters and fields have for it.
KNOWN = json.loads(os.environ["FUZZ_KNOWN"])

# Which model can do what an address asks of it.
MODELS = {
    "/v1/embeddings": "vectors",
    "/v1/moderations": "judge",
    "/v1/chat/moderations": "judge",
    "/v1/ocr": "tesseract",
    "/v1/audio/transcriptions": "ear",
    "/openai/v1/audio/transcriptions": "ear",
    "/v1/audio/speech": "espeak-ng",
}


@schemathesis.deserializer("text/event-stream")
def read_events(_context, response):
    """The published description, from which the official SDKs are generated, shows the `data` of an event as the JSON
    that is in it, not as text, and does not speak of the closing [DONE]."""
    events = _parse_sse_events(response.content)
    return [{**event, "data": json.loads(event["data"])} for event in events if event["data"] != "[DONE]"]


@schemathesis.hook
def filter_case(_context, case):
    return fits_an_address(case) and not becomes_valid(case)


def fits_an_address(case):
    """Node ends a request whose address and headers have more than 16 KiB (431) before anybody knows its operation."""
    return len(urlencode({**(case.path_parameters or {}), **(case.query or {})}, doseq=True, errors="replace")) < ADDRESS_BYTES_MAX


def becomes_valid(case):
    """An address has only text: a number is the text of its digits, an object the list of its keys, one value a list of
    one, and a text with a comma may be two. What was made to be invalid may be valid as it arrives."""
    if case.meta is None or not case.meta.is_negative_at(ParameterLocation.QUERY):
        return False
    schema = case.operation.query.validation_schema
    arriving = {name: texts for name, value in (case.query or {}).items() if (texts := texts_of(value))}
    if not set(schema.get("required", [])) <= set(arriving):
        return False
    one = Draft202012Validator({**schema, "required": []})
    return all(any(one.is_valid({name: value}) for value in readings(texts)) for name, texts in arriving.items())


def texts_of(value):
    values = list(value) if isinstance(value, (list, dict)) else [value]
    return [str(one) for one in values if one is not None]


def readings(texts):
    """All that a parameter may be read as."""
    yield texts
    yield [part for text in texts for part in text.split(",")]
    if len(texts) == 1:
        yield texts[0]
        with suppress(ValueError):
            yield json.loads(texts[0])


@schemathesis.hook
def before_call(_context, case, _kwargs):
    wait_briefly(case)
    name_what_exists(case)
    make_anew(case)


def wait_briefly(case):
    """A valid request to wait for up to a day is sent as one to wait for a moment. Invalid ones stay as they are."""
    if not isinstance(case.body, dict):
        return
    for name, (moment, longest) in PATIENCE.items():
        value = case.body.get(name)
        if type(value) in (int, float) and moment < value <= longest:
            case.body[name] = moment
    if case.body.get("wait_for_result") is True and case.body.get("timeout_seconds") is None:
        case.body["timeout_seconds"] = PATIENCE["timeout_seconds"][0]


def name_what_exists(case):
    """Three of four valid requests name something that exists; a random name would never get beyond a 404. What is
    removed are things that the run has made itself, and in a chain an answer says what comes next."""
    chance = zlib.crc32(repr((case.path_parameters, case.query, case.body)).encode(errors="replace"))
    if case.meta is None or chance % 4 == 0 or case.method.upper() == "DELETE":
        return
    known = {} if case.meta.phase.name == TestPhase.STATEFUL else KNOWN
    if not case.meta.is_negative_at(ParameterLocation.PATH):
        replace(case.path_parameters, known, chance)
    if isinstance(case.body, dict) and not case.meta.is_negative_at(ParameterLocation.BODY):
        # In a body `name` is what something is to be called.
        replace(case.body, {**known, "name": []}, chance)
        if isinstance(case.body.get("model"), str):
            case.body["model"] = MODELS.get(case.path, "scripted")
        # Roles in any order are a chat by the schema only, and letters in any order nothing that can be said.
        if isinstance(case.body.get("messages"), list):
            case.body["messages"] = [{"role": "user", "content": "Hello"}]
        if case.path == "/v1/audio/speech":
            case.body["input"] = "Hello"
        # Any edit of a body with a file makes the tool take the body for an invalid one.
        if contains_binary(case.body):
            case._sync_validated_hashes()


def make_anew(case):
    """In a chain what was made must be there. A key that came before brings the first answer again, although what it
    speaks of may have been removed since; single requests try that."""
    if case.meta and case.meta.phase.name == TestPhase.STATEFUL and (case.headers or {}).get("Idempotency-Key"):
        case.headers["Idempotency-Key"] = str(uuid.uuid4())


def replace(values, known, chance):
    for name in values or {}:
        if known.get(name) and isinstance(values[name], str):
            values[name] = known[name][chance % len(known[name])]
