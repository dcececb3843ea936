"""The prompt registry: versions, and an alias that moves."""
import time

from connect import MODEL, connect

client = connect()
prompts = client.beta.prompts
name = f"greeting-{time.time_ns()}"
variables = [{"name": "customer"}]

prompt = prompts.create(
    name=name,
    definition={"content": "Greet {{customer}} in one sentence.", "variables": variables},
    aliases=["production"],
)
prompts.create_version(
    prompt_id=prompt.id,
    definition={"content": "Greet {{customer}} warmly, in one sentence.", "variables": variables},
    notes="Warmer",
    aliases=["production"],
)
current = prompts.get(prompt_id=name, alias="production")
print(f"{name}@production is version {current.version}: {current.definition.content}")

system = current.definition.content.replace("{{customer}}", "Ms Ito")
messages = [{"role": "system", "content": system}, {"role": "user", "content": "Hello!"}]
print(client.chat.complete(model=MODEL, messages=messages).choices[0].message.content)
prompts.delete(prompt_id=prompt.id)
