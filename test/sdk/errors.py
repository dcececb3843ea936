"""Calls one operation of each family and prints, as JSON lines, which error the official SDK raised."""
import json
import sys

from mistralai.client import Mistral, errors

url, key = sys.argv[1], sys.argv[2]
client = Mistral(server_url=url, api_key=key)
calls = {
    "models": lambda: client.models.list(),
    "libraries": lambda: client.beta.libraries.get(library_id="x"),
    "chat": lambda: client.chat.complete(model="small", messages=[{"role": "user", "content": "Hi"}], temperature=9),
    "workflows": lambda: client.workflows.executions.get_workflow_execution_trace_otel(execution_id="x"),
}

for line in sys.stdin:
    name = line.strip()
    try:
        calls[name]()
        result = {"error": None}
    except Exception as error:  # the kind of error is what is being tested
        result = {
            "error": type(error).__name__,
            "status": getattr(error, "status_code", None),
            "body": getattr(error, "body", None),
            "is_validation_of_sdk": isinstance(error, errors.ResponseValidationError),
        }
        if isinstance(error, errors.HTTPValidationError):
            result["types"] = [item.type for item in error.data.detail or []]
    print(json.dumps(result), flush=True)
