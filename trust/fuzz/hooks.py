"""What schemathesis must be told about our API, each with its reason."""

import json

import schemathesis
from schemathesis.core.deserialization import _parse_sse_events

# How long a request may ask to be kept waiting, by the name of the field, with the longest that is valid.
PATIENCE = {"wait_ms": (50, 60_000), "timeout_seconds": (0.5, 86_400)}


@schemathesis.deserializer("text/event-stream")
def read_events(_context, response):
    """The published description, from which the official SDKs are generated, shows the `data` of an event as the JSON
    that is in it, not as text, and does not speak of the closing [DONE]."""
    events = _parse_sse_events(response.content)
    return [{**event, "data": json.loads(event["data"])} for event in events if event["data"] != "[DONE]"]


@schemathesis.hook
def before_call(_context, case, _kwargs):
    """A valid request to wait for up to a day is sent as one to wait for a moment. Invalid ones stay as they are."""
    if not isinstance(case.body, dict):
        return
    for name, (moment, longest) in PATIENCE.items():
        value = case.body.get(name)
        if type(value) in (int, float) and moment < value <= longest:
            case.body[name] = moment
    if case.body.get("wait_for_result") is True and case.body.get("timeout_seconds", None) is None:
        case.body["timeout_seconds"] = PATIENCE["timeout_seconds"][0]
