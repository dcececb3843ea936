"""Prints every function of the official Python SDK with the operations that its source asks for, as JSON."""
import importlib.metadata
import inspect
import json
import linecache
import re

from mistralai.client import Mistral
from mistralai.client.basesdk import BaseSDK

found = {}
# WebSockets, which the tests of live audio call; without a package of their own they cannot even be read.
sockets = {"audio.realtime", "audio.realtime_speech"}


def source_of(method):
    """As inspect.getsource, which reads the whole file anew each time."""
    code = inspect.unwrap(method.__func__).__code__
    text = "".join(linecache.getlines(code.co_filename)[code.co_firstlineno - 1 :])
    head = re.search(r"^    (async )?def ", text, re.M)
    after = re.search(r"^    (async def|def|@)", text[head.end() :], re.M)
    return text[: head.end() + after.start()] if after else text


def walk(sdk, prefix):
    for key in sorted({*dir(type(sdk)), *getattr(sdk, "_sub_sdk_map", ()), *vars(sdk)}):
        if key.startswith("_") or key in ("sdk_configuration", "parent_ref") or hasattr(BaseSDK, key):
            continue
        if prefix + key in sockets:
            found[prefix + key] = {"sends": [], "calls": []}
            continue
        value = getattr(sdk, key)
        if isinstance(value, BaseSDK):
            walk(value, f"{prefix}{key}.")
        elif inspect.ismethod(value):
            source = source_of(value)
            sends = zip(re.findall(r'method="(\w+)"', source), re.findall(r'path="([^"#]+)', source))
            # A helper sends by way of its siblings.
            calls = [prefix + name for name in re.findall(r"self\.([\w.]+)\(", source)]
            found[prefix + key] = {"sends": [" ".join(sent) for sent in sends], "calls": calls}


def operations(name, seen=()):
    entry = found.get(name)
    if entry is None or name in seen:
        return []
    return entry["sends"] or [op for called in entry["calls"] for op in operations(called, (*seen, name))]


def surface():
    walk(Mistral(api_key="none"), "")
    functions = [{"name": name, "operations": list(dict.fromkeys(operations(name)))} for name in found]
    return {"version": importlib.metadata.version("mistralai"), "functions": functions}


if __name__ == "__main__":
    print(json.dumps(surface()))
