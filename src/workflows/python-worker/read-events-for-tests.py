"""Prints how many events the official Python SDK reads: its models refuse one that lacks a field."""

import sys

from mistralai.client import Mistral

client = Mistral(server_url=sys.argv[1], api_key=sys.argv[2])
print(len(client.workflows.events.get_workflow_events(limit=1000).events))
