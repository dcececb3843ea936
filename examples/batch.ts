// Many requests that nobody waits for: send them together, read the replies when they are there.
import { setTimeout as sleep } from 'node:timers/promises';
import { connect, model } from './connect.ts';

const client = await connect();
const { jobs } = client.batch;
const reviews = ['Arrived in two days, works well.', 'Broken after a week.', 'It is blue.'];
const instructions = 'Is this review positive, negative or neutral? Reply with one word.';

let job = await jobs.create({
  endpoint: '/v1/chat/completions',
  model,
  requests: reviews.map((review, index) => ({
    customId: String(index),
    body: { messages: [{ role: 'user', content: `${instructions}\n\n${review}` }] },
  })),
});
while (job.status === 'QUEUED' || job.status === 'RUNNING') {
  await sleep(500);
  job = await jobs.get({ jobId: job.id, inline: true });
  console.log(`${job.status}: ${job.completedRequests} of ${job.totalRequests}`);
}

type Output = { custom_id: string; response?: { body: { choices: { message: { content: string } }[] } } };
for (const { custom_id, response } of (job.outputs ?? []) as Output[])
  console.log(`${reviews[Number(custom_id)]} → ${response?.body.choices[0]?.message.content ?? 'failed'}`);
