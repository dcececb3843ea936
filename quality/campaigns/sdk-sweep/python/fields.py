"""Prints what functions of the official Python SDK send and parse, as JSON schemas, for the operations on stdin."""
import functools
import inspect
import json
import re
import sys
import warnings

from mistralai.client import Mistral
from mistralai.client.basesdk import BaseSDK
from pydantic import TypeAdapter

from surface import source_of

warnings.filterwarnings("ignore")
BODY = re.compile(r"serialize_request_body\(\s*(request(?:\.\w+)?),")
REQUEST = re.compile(r"request = (models\.\w+)\(")
ANSWER = re.compile(r'match_response\(http_res, "2\w\w", "[^"]+"\):(.*?)(?=match_response|\Z)', re.S)
PARSED = re.compile(r"unmarshal_json_response\(\s*(.+?),\s*http_res|unmarshal_json\(raw, (.+?)\)", re.S)

wanted = set(json.load(sys.stdin))
found = []


@functools.cache
def schema_of(type_):
    return TypeAdapter(type_).json_schema(by_alias=True)


def kinds_of(model):
    """Whether each field travels in the path, the query, a header or the body."""
    kinds = {}
    for name, field in model.model_fields.items():
        marks = [mark for mark in field.metadata if hasattr(mark, "query") and hasattr(mark, "path")]
        key = field.alias or name
        kinds[key] = next((kind for mark in marks for kind in ("path", "query", "header", "request") if getattr(mark, kind, None)), "body")
    return kinds


def read(method, source):
    names = inspect.unwrap(method.__func__).__globals__
    sends = re.search(r'method="(\w+)",\s*path="([^"#]+)', source)
    if not sends or re.sub(r"\{\w+\}", "{}", " ".join(sends.groups())) not in wanted:
        return
    row = {"operation": " ".join(sends.groups()), "query": None, "body": None, "responses": []}
    request, body = REQUEST.search(source), BODY.search(source)
    if request:
        model = eval(request[1], names)
        kinds = kinds_of(model)
        whole = schema_of(model)
        query = {key: value for key, value in whole["properties"].items() if kinds.get(key) == "query"}
        row["query"] = {"type": "object", "properties": query, "$defs": whole.get("$defs", {})}
        if body:
            inner = body[1].partition(".")[2]
            row["body"] = schema_of(model.model_fields[inner].annotation) if inner else whole
    elif body and re.search(r"request: Union\[\s*(models\.\w+)", source):
        row["body"] = schema_of(eval(re.search(r"request: Union\[\s*(models\.\w+)", source)[1], names))
    for block in ANSWER.findall(source):
        for whole, event in PARSED.findall(block):
            row["responses"].append(schema_of(eval(whole or event, names)))
    found.append(row)


def walk(sdk):
    for key in sorted({*dir(type(sdk)), *getattr(sdk, "_sub_sdk_map", ()), *vars(sdk)}):
        if key.startswith("_") or key in ("sdk_configuration", "parent_ref") or hasattr(BaseSDK, key):
            continue
        try:
            value = getattr(sdk, key)
        except ImportError:
            continue
        if isinstance(value, BaseSDK):
            walk(value)
        elif inspect.ismethod(value) and not key.endswith("_async"):
            read(value, source_of(value))


if __name__ == "__main__":
    walk(Mistral(api_key="none"))
    print(json.dumps(found))
