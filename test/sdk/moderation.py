"""Moderates texts, conversations and a chat with the official SDK and prints what came back as one JSON object."""
import json
import sys

from mistralai.client import Mistral, errors

url, key = sys.argv[1], sys.argv[2]
client = Mistral(server_url=url, api_key=key)
talk = [{"role": "user", "content": "hello"}]
fight = [{"role": "user", "content": "Let us fight."}]
guardrails = [{"block_on_error": True, "moderation_llm_v2": {"action": "block"}}]


def blocked():
    try:
        client.chat.complete(model="small", messages=fight, guardrails=guardrails)
    except errors.SDKError as error:
        return {"status": error.status_code, "body": json.loads(error.body)}


texts = client.classifiers.moderate(model="mistral-moderation-latest", inputs=["hello", "Let us fight."])
chat = client.classifiers.moderate_chat(model="mistral-moderation-latest", inputs=[talk, fight])
answer = client.chat.complete(model="small", messages=talk, guardrails=guardrails)
print(
    json.dumps(
        {
            "model": texts.model,
            "texts": [result.categories for result in texts.results],
            "scores": [result.category_scores for result in texts.results],
            "chat": [result.categories for result in chat.results],
            "answer": answer.choices[0].message.content,
            "blocked": blocked(),
        }
    )
)
