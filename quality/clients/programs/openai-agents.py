# OpenAI Agents SDK for Python
# install: pip openai-agents==0.24.0
# checks: chat, tools, structured, mcp

import os
from agents import Agent, OpenAIChatCompletionsModel, Runner, set_tracing_disabled
from openai import AsyncOpenAI

set_tracing_disabled(True)
client = AsyncOpenAI(base_url=os.environ["TRAMONTANE_URL"] + "/v1", api_key=os.environ["TRAMONTANE_API_KEY"])
model = OpenAIChatCompletionsModel(model="mistral-small-latest", openai_client=client)
agent = Agent(name="Meteorologist", instructions="Name the wind.", model=model)
print("chat:", Runner.run_sync(agent, "Which wind blows from the north?").final_output)
# ---
import asyncio
from agents import function_tool
from agents.mcp import MCPServerStreamableHttp
from pydantic import BaseModel


@function_tool
def order_status(order_id: str) -> str:
    """When an order arrives"""
    return f"{order_id} arrives on Thursday"


clerk = Agent(name="Clerk", instructions="Help.", model=model, tools=[order_status])
print("tools:", Runner.run_sync(clerk, "When does my order A-17 arrive?").final_output)


class Person(BaseModel):
    name: str
    city: str


finder = Agent(name="Finder", instructions="Who lives where?", model=model, output_type=Person)
person = Runner.run_sync(finder, "Ada lives in Perpignan").final_output
print(f"structured: {person.name}, {person.city}")


async def list_tools() -> None:
    headers = {"Authorization": f"Bearer {os.environ['TRAMONTANE_API_KEY']}"}
    async with MCPServerStreamableHttp(params={"url": os.environ["TRAMONTANE_URL"] + "/mcp", "headers": headers}) as server:
        print("mcp:", ", ".join(tool.name for tool in await server.list_tools()))


asyncio.run(list_tools())
