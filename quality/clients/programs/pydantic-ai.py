# Pydantic AI
# install: pip pydantic-ai-slim[mistral]==2.66.0
# checks: chat, stream, tools, structured

import os
from pydantic_ai import Agent
from pydantic_ai.models.mistral import MistralModel
from pydantic_ai.providers.mistral import MistralProvider

provider = MistralProvider(base_url=os.environ["TRAMONTANE_URL"], api_key=os.environ["TRAMONTANE_API_KEY"])
model = MistralModel("mistral-small-latest", provider=provider)
question = "Which wind blows from the north?"
print("chat:", Agent(model).run_sync(question).output)
# ---
import asyncio
from pydantic import BaseModel


async def stream() -> str:
    async with Agent(model).run_stream(question) as result:
        return [text async for text in result.stream_text()][-1]


print("stream:", asyncio.run(stream()))

clerk = Agent(model)


@clerk.tool_plain
def order_status(order_id: str) -> str:
    """When an order arrives"""
    return f"{order_id} arrives on Thursday"


print("tools:", clerk.run_sync("When does my order A-17 arrive?").output)


class Person(BaseModel):
    name: str
    city: str


person = Agent(model, output_type=Person).run_sync(question).output
print(f"structured: {person.name}, {person.city}")
