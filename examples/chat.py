"""One question, one reply."""
import sys

from connect import MODEL, connect

client = connect()
question = sys.argv[1] if len(sys.argv) > 1 else "Which wind blows beside the mistral?"
response = client.chat.complete(model=MODEL, messages=[{"role": "user", "content": question}])

print(response.choices[0].message.content)
print(f"({response.model}, {response.usage.total_tokens} tokens)")
