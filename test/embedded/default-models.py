"""Uses the official Python SDK against the embedded default models and prints what came back as one JSON object."""
import json
import sys

from mistralai.client import Mistral

url, key = sys.argv[1], sys.argv[2]
client = Mistral(server_url=url, api_key=key)
messages = [{"role": "user", "content": "Say hello in one short sentence."}]

answer = client.chat.complete(model="mistral-small-latest", messages=messages, max_tokens=24)
chunks = [event.data for event in client.chat.stream(model="mistral-small-latest", messages=messages, max_tokens=24)]
tool = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "description": "The weather in a city",
        "parameters": {"type": "object", "properties": {"city": {"type": "string", "enum": ["Paris", "Rome"]}}, "required": ["city"], "additionalProperties": False},
    },
}
called = client.chat.complete(
    model="mistral-small-latest",
    messages=[{"role": "user", "content": "What is the weather in Paris?"}],
    tools=[tool],
    tool_choice="any",
    parallel_tool_calls=False,
    temperature=0,
    max_tokens=128,
)
embedded = client.embeddings.create(model="mistral-embed", inputs=["one", "two"])
call = called.choices[0].message.tool_calls[0]
print(
    json.dumps(
        {
            "content": answer.choices[0].message.content,
            "model": answer.model,
            "completion_tokens": answer.usage.completion_tokens,
            "streamed": "".join(chunk.choices[0].delta.content or "" for chunk in chunks),
            "streamed_usage": chunks[-1].usage is not None,
            "tool": {"name": call.function.name, "arguments": call.function.arguments, "id": call.id},
            "finish_reason": called.choices[0].finish_reason,
            "dimensions": [len(item.embedding) for item in embedded.data],
            "models": [model.id for model in client.models.list().data],
        }
    )
)
