"""Uses the official Python SDK for everything about models and prints what it saw as one JSON object."""
import asyncio
import json
import sys
from typing import Literal

from mistralai.client import Mistral, errors
from pydantic import BaseModel, Field

url, key, plan = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])
client = Mistral(server_url=url, api_key=key)
base = {"model": plan["chat"], "max_tokens": 40, "temperature": 0, "random_seed": 1}
messages = [{"role": "user", "content": "What is the weather in Paris?"}]
tool = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "description": "The weather in a city",
        "parameters": {
            "type": "object",
            "properties": {"city": {"type": "string", "enum": ["Paris", "Rome"]}},
            "required": ["city"],
            "additionalProperties": False,
        },
    },
}
calling = {**base, "messages": messages, "tools": [tool], "tool_choice": "any", "parallel_tool_calls": False}


class Person(BaseModel):
    name: Literal["Ada", "Alan"]
    age: int = Field(ge=0, le=120)


def text_of(chunks):
    return "".join(chunk.choices[0].delta.content or "" for chunk in chunks)


def summary(chunks):
    return {
        "content": text_of(chunks),
        "role": chunks[0].choices[0].delta.role,
        "finish": chunks[-1].choices[0].finish_reason,
        "total": chunks[-1].usage.total_tokens,
        "early_usage": any(chunk.usage for chunk in chunks[:-1]),
    }


def call_of(call):
    return {"id": call.id, "name": call.function.name, "arguments": call.function.arguments}


def attempt(work):
    """What it gives, or the status with which it was refused."""
    try:
        return work()
    except errors.SDKError as error:
        return {"status": error.status_code, "message": json.loads(error.body)["message"]}


async def stream_async():
    chunks = []
    async for event in await client.chat.stream_async(**base, messages=messages):
        chunks.append(event.data)
    return summary(chunks)


answer = client.chat.complete(**base, messages=messages)
streamed = [event.data for event in client.chat.stream(**base, messages=messages)]
called = client.chat.complete(**calling)
call = called.choices[0].message.tool_calls[0]
told = client.chat.complete(
    **base,
    tools=[tool],
    tool_choice="none",
    messages=[
        *messages,
        called.choices[0].message,
        {"role": "tool", "name": "get_weather", "content": "21 degrees", "tool_call_id": call.id},
    ],
)
calls = [event.data for event in client.chat.stream(**calling)]
deltas = [delta for chunk in calls for delta in chunk.choices[0].delta.tool_calls or []]
parsed = client.chat.parse(Person, **base, messages=messages).choices[0].message.parsed
parsed_stream = text_of([event.data for event in client.chat.parse_stream(Person, **base, messages=messages)])
middle = {"model": plan["fim"], "prompt": "def add(a, b):\n", "suffix": "\nprint(add(1, 2))", "max_tokens": 16}
embedded = client.embeddings.create(model=plan["embeddings"], inputs=["one", "two"])
encoded = client.embeddings.create(model=plan["embeddings"], inputs="one", output_dtype="int8", output_dimension=8)
tuned = plan["tuned"]
seen = {
    "chat": {
        "model": answer.model,
        "content": answer.choices[0].message.content,
        "finish": answer.choices[0].finish_reason,
        "total": answer.usage.total_tokens,
    },
    "stream": summary(streamed),
    "async_stream": asyncio.run(stream_async()),
    "tool": {**call_of(call), "finish": called.choices[0].finish_reason},
    "told": told.choices[0].message.content,
    "tool_stream": {"deltas": [call_of(delta) for delta in deltas], "finish": calls[-1].choices[0].finish_reason},
    "parsed": parsed.model_dump(),
    "parsed_stream": Person.model_validate_json(parsed_stream).model_dump(),
    "fim": attempt(lambda: {"content": client.fim.complete(**middle).choices[0].message.content}),
    "fim_stream": attempt(lambda: {"content": text_of([event.data for event in client.fim.stream(**middle)])}),
    "embeddings": {
        "model": embedded.model,
        "sizes": [[item.index, len(item.embedding)] for item in embedded.data],
        "encoded": len(encoded.data[0].embedding),
        "total": embedded.usage.total_tokens,
    },
    "models": {
        "ids": [model.id for model in client.models.list().data],
        "alias": client.models.retrieve(model_id=plan["chat"]).id,
        "tuned": client.models.retrieve(model_id=tuned).type,
        "updated": client.models.update(model_id=tuned, name="New", description="Better").name,
        "archived": client.models.archive(model_id=tuned).archived,
        "unarchived": client.models.unarchive(model_id=tuned).archived,
        "deleted": client.models.delete(model_id=tuned).deleted,
        "gone": attempt(lambda: client.models.retrieve(model_id=tuned).id),
        "base": attempt(lambda: client.models.delete(model_id=plan["chat"]).deleted),
    },
}
print(json.dumps(seen))
