import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { call } from '../../../test/support/call.ts';
import { sqliteForTests, temporaryDir } from '../../../test/support/databases.ts';
import { startTestServer, type TestServer } from '../../../test/support/server.ts';
import { completion, json, type ScriptedUpstream, startUpstream } from '../../../test/support/upstream.ts';
import { run, runJson } from '../run-for-tests.ts';

let server: TestServer;
let upstream: ScriptedUpstream;
const environment = () => ({ TRAMONTANE_URL: server.url, TRAMONTANE_API_KEY: server.key });

beforeAll(async () => {
  upstream = await startUpstream();
  server = await startTestServer(sqliteForTests(), {
    file: { models: [{ id: 'small', engine: 'upstream', url: upstream.url, upstream_model: 'm' }] },
  });
  const datasets = '/v1/observability/datasets';
  const { body } = await call(server, datasets, { body: { name: 'Words', description: '' } });
  const { id } = body as { id: string };
  const record = {
    payload: { messages: [{ role: 'user', content: 'Hi' }] },
    properties: { expected: 'nothing like it' },
  };
  await call(server, `${datasets}/${id}/records`, { body: record });
  writeFileSync(
    join(dir, 'evaluation.yaml'),
    `dataset_id: ${id}\nsystem: { kind: model, model: small }\nevaluators: [{ check: exact_match }]\n`,
  );
});

const dir = temporaryDir();
const file = join(dir, 'evaluation.yaml');

it('eval run ends with 0 when the threshold is reached and with 1 when it is missed', async () => {
  const good = await runJson(['eval', 'run', file, '--threshold', '0'], environment());
  expect(good).toMatchObject({
    code: 0,
    data: { status: 'completed', passed: true, statistics: { exact_match: { avg: 0 } } },
  });
  const args = ['eval', 'run', file, '--threshold', 'exact_match=0.5', '--baseline', good.data.id];
  const missed = await run(args, environment());
  expect(missed.code, missed.stderr).toBe(1);
  expect(missed.stdout).toContain('exact_match: 0.000 (missed 0.5)');
  expect(missed.stdout).toContain('no clear difference');
});

it('eval run says what is missing, and what a run would cost', async () => {
  const nothing = await run(['eval', 'run'], environment());
  expect(nothing).toMatchObject({ code: 2, stderr: expect.stringContaining('--dataset') });
  const wrong = await run(['eval', 'run', file, '--threshold', 'somebody=1'], environment());
  expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('no evaluator of this run') });
  const estimate = await runJson(['eval', 'run', file, '--estimate'], environment());
  expect(estimate).toMatchObject({ code: 0, data: { records: 1, requests: 1 } });
});

it('eval run ends with 1 when a threshold could not be compared with anything', async () => {
  const output = { type: 'CLASSIFICATION', options: ['good', 'bad'].map((value) => ({ value, description: value })) };
  const judge = { name: 'Labels', description: '', model_name: 'small', output, instructions: 'Judge.', tools: [] };
  const { body } = await call(server, '/v1/observability/judges', { body: judge });
  upstream.answerWith((_call, response) =>
    json(response, 200, completion(JSON.stringify({ analysis: 'Fine.', answer: 'good' }))),
  );
  const args = ['eval', 'run', file, '--judge', (body as { id: string }).id, '--threshold', '0.5'];
  const uncompared = await run(args, environment());
  expect(uncompared.code, uncompared.stderr).toBe(1);
  expect(uncompared.stdout).toContain('A threshold was not compared');
});
