"""A reply, printed while the model writes it."""
import sys

from connect import MODEL, connect

client = connect()
question = sys.argv[1] if len(sys.argv) > 1 else "Tell me a story about the wind in three sentences."

with client.chat.stream(model=MODEL, messages=[{"role": "user", "content": question}]) as stream:
    for event in stream:
        for choice in event.data.choices:
            print(choice.delta.content or "", end="", flush=True)
        if event.data.usage:
            print(f"\n({event.data.usage.completion_tokens} tokens)")
