import { randomBytes, randomUUID } from 'node:crypto';
import { beforeAll, expect, it } from 'vitest';
import { keyIdOf, openPayload, type Payload, sealPayload } from '../../packages/workflows/src/temporal/seal-payload.ts';
import { call } from '../../test/support/call.ts';
import { sqliteForTests } from '../../test/support/databases.ts';
import { type FakeTemporal, startFakeTemporal } from '../../test/support/fake-temporal.ts';
import { addStranger } from '../../test/support/people.ts';
import { startTestServer, type TestServer } from '../../test/support/server.ts';
import { definitionOf, register } from './workflows-for-tests.ts';

type Keys = { keys: { id: string; key: string }[] };
const textOf = (bytes: Uint8Array | null | undefined) => Buffer.from(bytes ?? []).toString();

let server: TestServer;
let cluster: FakeTemporal;
beforeAll(async () => {
  cluster = await startFakeTemporal();
  server = await startTestServer(sqliteForTests(), {
    environment: { TRAMONTANE_TEMPORAL_ADDRESS: cluster.address },
    file: { workflows: { encryption_keys: [randomBytes(32).toString('base64'), randomBytes(32).toString('base64')] } },
  });
  const queries = [{ name: 'where', input_schema: { type: 'object' } }];
  await register(server, [definitionOf('ours', { queries })], { sdk: 'tramontane' });
  await register(server, [definitionOf('theirs', { task_queue: 'python' })], { deployment_name: 'python' });
});
const keysOf = async (key?: string) =>
  ((await call(server, '/v1/workflows/workers/payload-keys', { key })).body as Keys).keys;
async function start(name: string, execution_id: string = randomUUID()): Promise<Payload> {
  const body = { input: { secret: 'hunter2' }, execution_id };
  expect((await call(server, `/v1/workflows/${name}/execute`, { body })).status).toBe(200);
  const { request } = cluster.asked.findLast((each) => each.call === 'StartWorkflowExecution') ?? {};
  const input = request?.input as { payloads: Payload[] } | undefined;
  return input?.payloads[0] as Payload;
}

it('what a start brings is sealed with the newest key of the workspace, which its workers are given', async () => {
  const [newest, older] = await keysOf();
  const input = await start('ours');
  expect(textOf(input.data)).not.toContain('hunter2');
  expect(keyIdOf(input)).toBe(newest?.id);
  expect(textOf(openPayload(input, Buffer.from(newest?.key ?? '', 'base64')).data)).toBe('{"secret":"hunter2"}');
  expect(() => openPayload(input, Buffer.from(older?.key ?? '', 'base64'))).toThrow();
});

it('what workers answer is opened, whichever of the keys sealed it, and what is not sealed is read as it is', async () => {
  const id = randomUUID();
  await start('ours', id);
  const plain = { metadata: { encoding: Buffer.from('json/plain') }, data: Buffer.from('{"found":1}') };
  const keys = (await keysOf()).map(({ id, key }) => ({ id, key: Buffer.from(key, 'base64') }));
  for (const answer of [...keys.map((key) => sealPayload(plain, key)), plain]) {
    cluster.answerWith({ where: answer });
    const body = { name: 'where', input: {} };
    const { body: said } = await call(server, `/v1/workflows/executions/${id}/queries`, { body });
    expect(said).toMatchObject({ result: { found: 1 } });
  }
});

it('another workspace has other keys, under the same names', async () => {
  const [mine, theirs] = [await keysOf(), await keysOf(await addStranger(server))];
  expect(theirs.map(({ id }) => id)).toEqual(mine.map(({ id }) => id));
  expect(theirs.map(({ key }) => key)).not.toEqual(mine.map(({ key }) => key));
});

it('workers of the official SDK are told in their own words, which no key of ours seals', async () => {
  const input = await start('theirs');
  expect(textOf(input.metadata?.encoding)).toBe('json/wf_v1');
  expect(textOf(input.data)).toBe('{"secret":"hunter2"}');
});
