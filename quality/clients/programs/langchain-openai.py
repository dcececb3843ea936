# LangChain for Python, OpenAI package
# install: pip langchain-openai==1.7.3 langchain==1.4.10
# checks: chat, stream, tools, structured, embeddings, responses

import os
from langchain_openai import ChatOpenAI

server = {"base_url": os.environ["TRAMONTANE_URL"] + "/openai/v1", "api_key": os.environ["TRAMONTANE_API_KEY"]}
model = ChatOpenAI(model="mistral-small-latest", **server)
question = "Which wind blows from the north?"
print("chat:", model.invoke(question).text)
# ---
from langchain.agents import create_agent
from langchain_core.tools import tool
from langchain_openai import OpenAIEmbeddings
from pydantic import BaseModel


@tool
def order_status(order_id: str) -> str:
    """When an order arrives"""
    return f"{order_id} arrives on Thursday"


class Person(BaseModel):
    name: str
    city: str


def try_model(one: ChatOpenAI) -> dict[str, str]:
    agent = create_agent(one, tools=[order_status])
    result = agent.invoke({"messages": [{"role": "user", "content": "When does my order A-17 arrive?"}]})
    person = one.with_structured_output(Person).invoke(question)
    return {
        "stream": "".join(chunk.text for chunk in one.stream(question)),
        "tools": result["messages"][-1].text,
        "structured": f"{person.name}, {person.city}",
    }


shown = try_model(model)
responses = ChatOpenAI(model="mistral-small-latest", use_responses_api=True, **server)
assert try_model(responses) == shown
kept = ChatOpenAI(model="mistral-small-latest", use_previous_response_id=True, use_responses_api=True, **server)
assert try_model(kept) == shown
for check, text in shown.items():
    print(f"{check}: {text}")
print("responses:", responses.invoke(question).text)

# Without check_embedding_ctx_length=False it sends lists of tokens.
embeddings = OpenAIEmbeddings(model="mistral-embed", check_embedding_ctx_length=False, **server)
vectors = embeddings.embed_documents(["the wind", "the sea"])
print(f"embeddings: {len(vectors)} × {len(vectors[0])}")
