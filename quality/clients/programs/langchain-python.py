# LangChain for Python
# install: pip langchain-mistralai==1.1.6 langchain==1.4.10
# checks: chat, stream, tools, structured, embeddings

import os
from langchain_mistralai import ChatMistralAI

server = {"endpoint": os.environ["TRAMONTANE_URL"] + "/v1", "api_key": os.environ["TRAMONTANE_API_KEY"]}
model = ChatMistralAI(model="mistral-small-latest", **server)
question = "Which wind blows from the north?"
print("chat:", model.invoke(question).content)
# ---
from langchain.agents import create_agent
from langchain_core.tools import tool
from langchain_mistralai import MistralAIEmbeddings
from pydantic import BaseModel

print("stream:", "".join(chunk.content for chunk in model.stream(question)))


@tool
def order_status(order_id: str) -> str:
    """When an order arrives"""
    return f"{order_id} arrives on Thursday"


agent = create_agent(model, [order_status])
result = agent.invoke({"messages": [("user", "When does my order A-17 arrive?")]})
print("tools:", result["messages"][-1].content)


class Person(BaseModel):
    """Somebody"""

    name: str
    city: str


for method in ("function_calling", "json_schema", "json_mode"):
    person = model.with_structured_output(Person, method=method).invoke(question)
print(f"structured: {person.name}, {person.city}")

embeddings = MistralAIEmbeddings(model="mistral-embed", **server)
vectors = embeddings.embed_documents(["the wind", "the sea"])
print(f"embeddings: {len(vectors)} × {len(vectors[0])}")
