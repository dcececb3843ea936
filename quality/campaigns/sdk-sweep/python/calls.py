"""Calls every function of the official Python SDK whose path is served, plain and async, against a running server.

Arguments: address, key, a document to read, an MCP server, and a fine-tuned model for each way: plain, then awaited. Prints what the functions are,
how each call ended, and which chapters broke, as one JSON object.
"""
import json
import sys
import traceback

from mistralai.client import Mistral

import chapters
from surface import surface
from way import Way

url, key, document, mcp_server, *tuned = sys.argv[1:]
log, broken = {}, []
for suffix, model in zip(["", "_async"], tuned):
    call = Way(Mistral(server_url=url, api_key=key), suffix, log)
    for chapter in chapters.all_of(
        key=key, document=document, mcp_server=mcp_server, tuned=model, awaited=bool(suffix)
    ):
        try:
            chapter(call)
        except Exception as error:
            broken.append(f"{chapter.__name__}{suffix}: {error!r} {traceback.format_exc()[-400:]}")
print(json.dumps({**surface(), "log": log, "broken": broken, "absent": chapters.NEED_EXTRA}))
