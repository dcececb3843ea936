# Anthropic SDK for Python
# install: pip anthropic==2.8.0
# checks: chat, stream, tools, structured
# refused: POST /anthropic/v1/messages 400
# note: The tool runner asks for a thread first, which is refused, and goes on without one; `thread=False` spares the question.

import os
from anthropic import Anthropic

client = Anthropic(base_url=os.environ["TRAMONTANE_URL"] + "/anthropic", api_key=os.environ["TRAMONTANE_API_KEY"])
question = [{"role": "user", "content": "Which wind blows from the north?"}]
reply = client.messages.create(model="mistral-small-latest", max_tokens=100, messages=question)
print("chat:", reply.content[0].text)
# ---
from anthropic import beta_tool
from pydantic import BaseModel

common = {"model": "mistral-small-latest", "max_tokens": 100}
assert client.messages.count_tokens(model=common["model"], messages=question).input_tokens > 0
with client.messages.stream(messages=question, system="Be brief.", **common) as stream:
    streamed = "".join(stream.text_stream)
    assert stream.get_final_message().usage.output_tokens == 3
print("stream:", streamed)


@beta_tool
def order_status(order_id: str) -> str:
    """When an order arrives"""
    return f"{order_id} arrives on Thursday"


asked = [{"role": "user", "content": "When does my order A-17 arrive?"}]
runner = client.beta.messages.tool_runner(messages=asked, tools=[order_status], **common)
print("tools:", runner.until_done().content[0].text)


class Person(BaseModel):
    name: str
    city: str


person = client.messages.parse(messages=question, output_format=Person, **common).parsed_output
print(f"structured: {person.name}, {person.city}")
