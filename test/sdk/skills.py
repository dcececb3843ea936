"""Walks through every operation of the skill registry with the official SDK and prints what it read, as JSON."""
import json
import sys

from mistralai.client import Mistral, errors

url, key = sys.argv[1], sys.argv[2]
skills = Mistral(server_url=url, api_key=key).beta.skills

made = skills.create(
    name="python-notes",
    definition={
        "description": "Use for release notes.",
        "body": "# Notes\n",
        "assets": {
            "template.md": {"text_content": "## Added\n", "is_executable": False},
            "run.bin": {"raw_content": "AAEC", "is_executable": True},
        },
    },
    notes="initial",
    aliases=["main"],
)
version = skills.create_version(
    skill_id=made.id, definition={"description": "New.", "body": "# Two\n"}, aliases=["main"]
)
again = skills.create_version(skill_id=made.id, definition={"description": "New.", "body": "# Two\n"})
main = skills.get(skill_id="python-notes", alias="main")
first = skills.get_version(skill_id=made.id, version=1)
masked = skills.get(skill_id=made.id, fields=["name", "definition.description"])
versions = skills.list_versions(skill_id=made.id)
noted = skills.update_version_metadata(
    skill_id=made.id, version=1, notes="kept", aliases={"values": ["stable"]}
)
shared = skills.update_metadata(skill_id=made.id, sharing_scope="workspace")

names, page = [], skills.list(page_size=1, sort_by="name")
while page is not None:
    names += [skill.name for skill in page.result.data]
    page = page.next()

skills.delete(skill_id=made.id)
try:
    skills.get(skill_id=made.id)
    missing = None
except errors.SDKError as error:
    missing = error.status_code

print(
    json.dumps(
        {
            "made": [made.name, made.version, made.notes, made.aliases, made.sharing_scope],
            "assets": {path: asset.model_dump() for path, asset in sorted(first.definition.assets.items())},
            "version": [version.version, version.deduplicated],
            "again": [again.version, again.deduplicated],
            "main": [main.version, main.latest_version, main.definition.body],
            "masked": masked.model_dump(exclude_none=True),
            "versions": [[one.version, one.aliases] for one in versions.data],
            "noted": [noted.version, noted.notes, noted.aliases],
            "shared": shared.sharing_scope,
            "names": names,
            "missing": missing,
        }
    )
)
