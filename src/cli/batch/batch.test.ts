import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { sqliteForTests, temporaryDir } from '../../../test/support/databases.ts';
import { startTestServer, type TestServer } from '../../../test/support/server.ts';
import { startUpstream } from '../../../test/support/upstream.ts';
import { run, runJson } from '../run-for-tests.ts';

let server: TestServer;
const environment = () => ({ TRAMONTANE_URL: server.url, TRAMONTANE_API_KEY: server.key });
beforeAll(async () => {
  const { url } = await startUpstream();
  server = await startTestServer(sqliteForTests(), {
    file: { models: [{ id: 'small', engine: 'upstream', url, upstream_model: 'm' }] },
  });
});

const lineOf = (id: string, more = {}) =>
  JSON.stringify({ custom_id: id, body: { messages: [{ role: 'user', content: id }], ...more } });
const requests = (...lines: string[]) => {
  const file = join(temporaryDir(), 'questions.jsonl');
  writeFileSync(file, lines.join('\n'));
  return file;
};
const idsIn = (file: string) =>
  readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line).custom_id);

it('batch run answers a file of requests and writes the answers beside it', async () => {
  const file = requests(lineOf('a'), lineOf('b'));
  const { code, stdout, stderr } = await run(['batch', 'run', file, '--model', 'small'], environment());
  const answers = file.replace('.jsonl', '.answers.jsonl');
  expect({ code, stdout }).toEqual({ code: 0, stdout: `success: 2 of 2 completed. Written: ${answers}\n` });
  expect(stderr).toMatch(/^\[job [0-9a-f-]{36}: 2 requests\]\n/);
  expect(idsIn(answers)).toEqual(['a', 'b']);
});

it('batch run tells what failed, writes it to a file of its own and ends with 1', async () => {
  const file = requests(lineOf('good'), lineOf('bad', { temperature: 7 }));
  const args = ['batch', 'run', file, '--model', 'small', '--output', join(temporaryDir(), 'out')];
  const { code, data } = await runJson(args, environment());
  expect(code).toBe(1);
  expect(data).toMatchObject({ status: 'SUCCESS', succeeded_requests: 1, failed_requests: 1 });
  expect(data.written.map(idsIn)).toEqual([['good'], ['bad']]);
});

it('batch run says what is wrong with the file or the server', async () => {
  const missing = await run(['batch', 'run', '/nowhere.jsonl'], environment());
  expect(missing).toMatchObject({ code: 1, stderr: expect.stringContaining('/nowhere.jsonl cannot be read (ENOENT)') });
  const empty = await run(['batch', 'run', requests('')], environment());
  expect(empty).toMatchObject({ code: 1, stderr: expect.stringContaining('hold no request') });
});
