"""Walks through every operation of the prompt registry with the official SDK and prints what it read, as JSON."""
import json
import sys

from mistralai.client import Mistral, errors

url, key = sys.argv[1], sys.argv[2]
prompts = Mistral(server_url=url, api_key=key).beta.prompts

first_definition = {"content": "Hi {{who}}", "variables": [{"name": "who"}]}
made = prompts.create(
    name="python-greeting",
    definition=first_definition,
    title="Greeting",
    description="Says hi",
    notes="initial",
    aliases=["production"],
)
version = prompts.create_version(prompt_id=made.id, definition={"content": "Hello"}, aliases=["production"])
again = prompts.create_version(prompt_id=made.id, definition={"content": "Hello"})
production = prompts.get(prompt_id="python-greeting", alias="production")
first = prompts.get_version(prompt_id=made.id, version=1)
masked = prompts.get(prompt_id=made.id, fields=["name", "definition.content"])
versions = prompts.list_versions(prompt_id=made.id)
noted = prompts.update_version_metadata(
    prompt_id=made.id, version=1, notes="kept", aliases={"values": ["stable"]}
)
titled = prompts.update_metadata(prompt_id=made.id, title="New", description=None, sharing_scope="workspace")

names, page = [], prompts.list(page_size=1, sort_by="name")
while page is not None:
    names += [prompt.name for prompt in page.result.data]
    page = page.next()

prompts.delete(prompt_id=made.id)
try:
    prompts.get(prompt_id=made.id)
    missing = None
except errors.SDKError as error:
    missing = error.status_code

print(
    json.dumps(
        {
            "made": [made.name, made.version, made.notes, made.aliases, made.sharing_scope],
            "first": [first.definition.content, [variable.name for variable in first.definition.variables]],
            "version": [version.version, version.deduplicated],
            "again": [again.version, again.deduplicated],
            "production": [production.version, production.latest_version, production.definition.content],
            "masked": masked.model_dump(exclude_none=True),
            "versions": [[one.version, one.aliases] for one in versions.data],
            "noted": [noted.version, noted.notes, noted.aliases],
            "titled": [titled.title, titled.description, titled.sharing_scope, titled.version],
            "names": names,
            "missing": missing,
        }
    )
)
