# smolagents
# install: pip smolagents[openai]==1.26.0
# checks: chat, tools
# note: Its streams send `stream_options`, which the hosted platform and this server refuse; leave `stream_outputs` off.

import os
from smolagents import OpenAIModel

model = OpenAIModel(
    model_id="mistral-small-latest",
    api_base=os.environ["TRAMONTANE_URL"] + "/v1",
    api_key=os.environ["TRAMONTANE_API_KEY"],
)
question = [{"role": "user", "content": "Which wind blows from the north?"}]
print("chat:", model(question).content)
# ---
from smolagents import ToolCallingAgent, tool


@tool
def order_status(order_id: str) -> str:
    """When an order arrives

    Args:
        order_id: The number of the order
    """
    return f"{order_id} arrives on Thursday"


agent = ToolCallingAgent(tools=[order_status], model=model, verbosity_level=0)
print("tools:", agent.run("When does my order A-17 arrive?"))
