# CrewAI
# install: pip crewai==1.15.30
# checks: chat, tools
# note: With the provider `openai`: by LiteLLM it sends a field of its own in messages, which is refused.

import os
from crewai import LLM

llm = LLM(
    model="mistral-small-latest",
    provider="openai",
    base_url=os.environ["TRAMONTANE_URL"] + "/v1",
    api_key=os.environ["TRAMONTANE_API_KEY"],
)
print("chat:", llm.call("Which wind blows from the north?"))
# ---
from crewai import Agent
from crewai.tools import tool


@tool("order_status")
def order_status(order_id: str) -> str:
    """When an order arrives"""
    return f"{order_id} arrives on Thursday"


agent = Agent(role="Clerk", goal="Tell when orders arrive", backstory="Knows all orders", llm=llm, tools=[order_status])
print("tools:", agent.kickoff("When does my order A-17 arrive?").raw)
