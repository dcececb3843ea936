# Haystack
# install: pip mistral-haystack==3.0.0 haystack-ai==3.4.1
# checks: chat, stream, tools, embeddings

import os
from haystack.dataclasses import ChatMessage
from haystack.utils import Secret
from haystack_integrations.components.generators.mistral import MistralChatGenerator

server = {"api_base_url": os.environ["TRAMONTANE_URL"] + "/v1", "api_key": Secret.from_env_var("TRAMONTANE_API_KEY")}
generator = MistralChatGenerator(model="mistral-small-latest", **server)
question = [ChatMessage.from_user("Which wind blows from the north?")]
print("chat:", generator.run(question)["replies"][0].text)
# ---
from haystack.components.agents import Agent
from haystack.tools import tool
from haystack_integrations.components.embedders.mistral import MistralTextEmbedder

pieces = []
generator.run(question, streaming_callback=lambda chunk: pieces.append(chunk.content or ""))
print("stream:", "".join(pieces))


@tool
def order_status(order_id: str) -> str:
    """When an order arrives"""
    return f"{order_id} arrives on Thursday"


agent = Agent(chat_generator=generator, tools=[order_status])
result = agent.run(messages=[ChatMessage.from_user("When does my order A-17 arrive?")])
print("tools:", result["messages"][-1].text)

embedder = MistralTextEmbedder(model="mistral-embed", **server)
vectors = [embedder.run(text)["embedding"] for text in ("the wind", "the sea")]
print(f"embeddings: {len(vectors)} × {len(vectors[0])}")
