# AutoGen
# install: pip autogen-ext[openai]==0.7.5 autogen-agentchat==0.7.5
# checks: chat, stream, tools, structured

import asyncio
import os
from autogen_agentchat.agents import AssistantAgent
from autogen_core.models import UserMessage
from autogen_ext.models.openai import OpenAIChatCompletionClient

def connect() -> OpenAIChatCompletionClient:
    return OpenAIChatCompletionClient(
        model="mistral-small-latest",
        base_url=os.environ["TRAMONTANE_URL"] + "/v1",
        api_key=os.environ["TRAMONTANE_API_KEY"],
        model_info={
            "family": "mistral",
            "vision": False,
            "function_calling": True,
            "json_output": True,
            "structured_output": True,
        },
    )


async def chat() -> None:
    result = await AssistantAgent("assistant", connect()).run(task="Which wind blows from the north?")
    print("chat:", result.messages[-1].content)


asyncio.run(chat())
# ---
from pydantic import BaseModel


class Person(BaseModel):
    name: str
    city: str


async def order_status(order_id: str) -> str:
    """When an order arrives"""
    return f"{order_id} arrives on Thursday"


async def more() -> None:
    model = connect()
    question = [UserMessage(content="Which wind blows from the north?", source="user")]
    pieces = [piece async for piece in model.create_stream(question) if isinstance(piece, str)]
    print("stream:", "".join(pieces))
    agent = AssistantAgent("clerk", model, tools=[order_status], reflect_on_tool_use=True)
    print("tools:", (await agent.run(task="When does my order A-17 arrive?")).messages[-1].content)
    person = Person.model_validate_json((await model.create(question, json_output=Person)).content)
    print(f"structured: {person.name}, {person.city}")
    await model.close()


asyncio.run(more())
