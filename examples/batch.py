"""Many requests that nobody waits for: send them together, read the replies when they are there."""
import time

from connect import MODEL, connect

client = connect()
jobs = client.batch.jobs
reviews = ["Arrived in two days, works well.", "Broken after a week.", "It is blue."]
instructions = "Is this review positive, negative or neutral? Reply with one word."

job = jobs.create(
    endpoint="/v1/chat/completions",
    model=MODEL,
    requests=[
        {"custom_id": str(index), "body": {"messages": [{"role": "user", "content": f"{instructions}\n\n{review}"}]}}
        for index, review in enumerate(reviews)
    ],
)
while job.status in ("QUEUED", "RUNNING"):
    time.sleep(0.5)
    job = jobs.get(job_id=job.id, inline=True)
    print(f"{job.status}: {job.completed_requests} of {job.total_requests}")

for output in job.outputs:
    reply = output["response"]["body"]["choices"][0]["message"]["content"] if output["response"] else "failed"
    print(f"{reviews[int(output['custom_id'])]} → {reply}")
