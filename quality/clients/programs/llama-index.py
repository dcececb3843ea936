# LlamaIndex
# install: pip llama-index-llms-mistralai==0.11.0
# checks: chat, stream, tools, structured, fim
# note: Its `MistralAIEmbedding` has no setting for the address.

import os
from llama_index.llms.mistralai import MistralAI

server = {"endpoint": os.environ["TRAMONTANE_URL"], "api_key": os.environ["TRAMONTANE_API_KEY"]}
llm = MistralAI(model="mistral-small-latest", **server)
question = "Which wind blows from the north?"
print("chat:", llm.complete(question).text)
# ---
import asyncio
from llama_index.core.agent.workflow import FunctionAgent
from llama_index.core.prompts import PromptTemplate
from pydantic import BaseModel

print("stream:", "".join(chunk.delta or "" for chunk in llm.stream_complete(question)))


def order_status(order_id: str) -> str:
    """When an order arrives"""
    return f"{order_id} arrives on Thursday"


async def ask_agent() -> str:
    return str(await FunctionAgent(tools=[order_status], llm=llm).run("When does my order A-17 arrive?"))


print("tools:", asyncio.run(ask_agent()).splitlines()[-1])


class Person(BaseModel):
    name: str
    city: str


person = llm.structured_predict(Person, PromptTemplate("Who placed my order?"))
print(f"structured: {person.name}, {person.city}")

coder = MistralAI(model="codestral-latest", **server)
print("fim:", coder.fill_in_middle("def add(a, b):\n", "\n").text)
