# OpenAI Agents SDK for Python
# install: pip openai-agents==0.24.0
# checks: chat, stream, tools, structured, agents, mcp, responses
# note: It uses the Responses API; `set_default_openai_api("chat_completions")` changes that.

import os
from agents import Agent, Runner, set_default_openai_client, set_tracing_disabled
from openai import AsyncOpenAI

set_tracing_disabled(True)
server = {"base_url": os.environ["TRAMONTANE_URL"] + "/openai/v1", "api_key": os.environ["TRAMONTANE_API_KEY"]}
set_default_openai_client(AsyncOpenAI(**server))
agent = Agent(name="Meteorologist", instructions="Name the wind.", model="mistral-small-latest")
print("chat:", Runner.run_sync(agent, "Which wind blows from the north?").final_output)
# ---
import asyncio
from agents import SQLiteSession, function_tool, set_default_openai_api
from agents.mcp import MCPServerStreamableHttp
from pydantic import BaseModel

model = "mistral-small-latest"
question = "Which wind blows from the north?"


@function_tool
def order_status(order_id: str) -> str:
    """When an order arrives"""
    return f"{order_id} arrives on Thursday"


class Person(BaseModel):
    name: str
    city: str


clerk = Agent(name="Clerk", instructions="Help.", model=model, tools=[order_status])
desk = Agent(name="Desk", instructions="Find the right one.", model=model, handoffs=[agent, clerk])
finder = Agent(name="Finder", instructions="Who lives where?", model=model, output_type=Person)


async def run(api: str) -> dict[str, str]:
    set_default_openai_api(api)
    tools = (await Runner.run(clerk, "When does my order A-17 arrive?")).final_output
    person = (await Runner.run(finder, "Ada lives in Perpignan")).final_output
    handed = await Runner.run(desk, "Call transfer_to_meteorologist with {}")
    assert handed.last_agent.name == "Meteorologist"
    streamed = Runner.run_streamed(agent, question)
    events = [event.type async for event in streamed.stream_events()]
    assert "raw_response_event" in events and "run_item_stream_event" in events
    called = Runner.run_streamed(clerk, "When does my order A-17 arrive?")
    names = [event.name async for event in called.stream_events() if event.type == "run_item_stream_event"]
    assert names == ["tool_called", "tool_output", "message_output_created"], names
    assert called.final_output == tools
    session = SQLiteSession("one")
    await Runner.run(clerk, "When does my order A-17 arrive?", session=session)
    again = await Runner.run(agent, question, session=session)
    assert len(await session.get_items()) == 6
    return {"tools": tools, "structured": f"{person.name}, {person.city}", "stream": streamed.final_output, "agents": again.final_output}


async def main() -> None:
    # Of this event loop; the one above belongs to another.
    set_default_openai_client(AsyncOpenAI(**server))
    shown = await run("responses")
    assert await run("chat_completions") == shown
    for check, text in shown.items():
        print(f"{check}: {text}")
    set_default_openai_api("responses")
    first = await Runner.run(agent, question)
    second = await Runner.run(agent, question, previous_response_id=first.last_response_id)
    print("responses:", second.final_output)
    headers = {"Authorization": f"Bearer {os.environ['TRAMONTANE_API_KEY']}"}
    async with MCPServerStreamableHttp(params={"url": os.environ["TRAMONTANE_URL"] + "/mcp", "headers": headers}) as mcp:
        print("mcp:", ", ".join(tool.name for tool in await mcp.list_tools()))


asyncio.run(main())
