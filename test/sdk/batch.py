"""Every operation on batch jobs through the official SDK; prints what came back as one JSON object."""
import json
import sys

from mistralai.client import Mistral, errors

url, key = sys.argv[1], sys.argv[2]
jobs = Mistral(server_url=url, api_key=key).batch.jobs


def request(name):
    return {"custom_id": name, "body": {"messages": [{"role": "user", "content": name}]}}


made = jobs.create(
    endpoint="/v1/chat/completions", model="small", requests=[request("a"), request("b")], metadata={"team": "green"}
)
job = jobs.get(job_id=made.id, inline=True)
while job.status != "SUCCESS":
    job = jobs.get(job_id=made.id, inline=True)
listed = jobs.list(status=["SUCCESS"], metadata={"team": "green"})
cancelled = jobs.cancel(job_id=made.id)
deleted = jobs.delete(job_id=made.id)
try:
    jobs.get(job_id=made.id)
    missing = None
except errors.MistralError as error:
    missing = error.status_code
print(json.dumps({
    "total": made.total_requests,
    "outputs": [output["custom_id"] for output in job.outputs],
    "listed": listed.total,
    "cancelled": cancelled.status,
    "deleted": deleted.deleted,
    "missing": missing,
}))
