import { fileURLToPath } from 'node:url';
import { Mistral } from '@mistralai/mistralai';
import { beforeAll, expect, it } from 'vitest';
import { sqliteForTests } from '../support/databases.ts';
import { python } from '../support/python.ts';
import { runPython } from '../support/run-python.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { startUpstream } from '../support/upstream.ts';

let server: TestServer;
beforeAll(async () => {
  const { url } = await startUpstream();
  server = await startTestServer(sqliteForTests(), {
    file: { models: [{ id: 'small', engine: 'upstream', url, upstream_model: 'm' }] },
  });
});

it('every operation on batch jobs works in the official TypeScript SDK', async () => {
  const { jobs } = new Mistral({ serverURL: server.url, apiKey: server.key }).batch;
  const request = (id: string) => ({ customId: id, body: { messages: [{ role: 'user', content: id }] } });
  const made = await jobs.create({
    endpoint: '/v1/chat/completions',
    model: 'small',
    requests: [request('a'), request('b')],
    metadata: { team: 'blue' },
    timeoutHours: 2,
  });
  expect(made).toMatchObject({ object: 'batch', totalRequests: 2, metadata: { team: 'blue' } });
  let job = await jobs.get({ jobId: made.id, inline: true });
  while (job.status !== 'SUCCESS') job = await jobs.get({ jobId: made.id, inline: true });
  expect(job.outputs).toMatchObject([{ custom_id: 'a' }, { custom_id: 'b' }]);
  expect(job).toMatchObject({ succeededRequests: 2, failedRequests: 0, errorFile: null });
  const listed = await jobs.list({ status: ['SUCCESS'], metadata: { team: 'blue' }, createdByMe: true });
  expect(listed).toMatchObject({ total: 1, data: [{ id: made.id }] });
  expect(await jobs.cancel({ jobId: made.id })).toMatchObject({ status: 'SUCCESS' });
  expect(await jobs.delete({ jobId: made.id })).toMatchObject({ id: made.id, deleted: true });
  await expect(jobs.get({ jobId: made.id })).rejects.toMatchObject({ statusCode: 404 });
});

it.skipIf(!python)('every operation on batch jobs works in the official Python SDK', async () => {
  const script = fileURLToPath(new URL('./batch.py', import.meta.url));
  const stdout = await runPython(script, [server.url, server.key]);
  expect(JSON.parse(stdout)).toEqual({
    total: 2,
    outputs: ['a', 'b'],
    listed: 1,
    cancelled: 'SUCCESS',
    deleted: true,
    missing: 404,
  });
});
