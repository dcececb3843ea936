import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { defineWorkflow } from '../../packages/workflows/src/index.ts';
import { startWorker } from '../../packages/workflows/src/worker/index.ts';
import { createTasks } from '../../src/kit/tasks/index.ts';
import { startReceiver } from '../../src/notifications/receive-for-tests.ts';
import { deliverFromGithub } from '../../src/webhooks/send-for-tests.ts';
import { call } from '../support/call.ts';
import { atEnd } from '../support/cleanup.ts';
import { onSqliteFirst, type TestDatabase, temporaryDir } from '../support/databases.ts';
import { inFull } from '../support/in-full.ts';
import { rounds } from '../support/rounds.ts';
import { freePort, CRASH_KEY as key, type Started, startServer } from './start-server.ts';

const KILLS = rounds(2, 20);
const PER_LIFE = 20;
const SECRET = 'the secret of the repository';
const LIMIT = { timeout: rounds(60_000, 300_000), interval: 100 };

onSqliteFirst('deliveries', (database) => {
  inFull.it(
    'of webhooks and of notifications are all made when the server is killed again and again: what was taken starts its workflow once, and what ended is told at least once, under one id',
    {
      timeout: rounds(180_000, 900_000),
    },
    async () => {
      const receiver = await startReceiver();
      // Slow enough that some messages are on their way at each kill.
      receiver.answerWith((_, response) => void setTimeout(() => response.writeHead(200).end(), 30));
      const { opened, start, url } = await place(database, receiver.place);
      const server = { url, key };
      let { child } = await start();
      const worker = await startWorker({ url, apiKey: key, workflows: [echo], steps: [] });
      atEnd(() => worker.stop());

      const webhook = await create<{ id: string; url: string }>('/v1/webhooks', {
        ...{ provider: 'github', name: 'Repository', secret: SECRET },
      });
      await create('/v1/triggers', {
        ...{ event_source_id: webhook.id, handler: 'workflows', owner_type: 'workspace', title: 'On each push' },
        action: { primitive_id: 'echo', type: 'start_workflow' },
      });
      await create('/v1/notifications/endpoints', { url: receiver.url, event_types: ['execution.ended'] });

      /** As a provider does: again, with the same id, until it is taken. */
      async function send(id: string): Promise<void> {
        for (;;) {
          const answer = await deliverFromGithub(server, webhook, SECRET, { id }, { id }).catch(() => undefined);
          if (answer?.status === 200) return;
          await sleep(50);
        }
      }

      const sent: string[] = [];
      for (let life = 0; life <= KILLS; life++) {
        const ids = Array.from({ length: PER_LIFE }, (_, n) => `d${life}-${n}`);
        sent.push(...ids);
        const sending = Promise.all(ids.map(send));
        if (life === KILLS) {
          await sending;
          break;
        }
        await sleep(100 + Math.random() * 300);
        child.kill('SIGKILL');
        await once(child, 'close');
        ({ child } = await start());
        await sending;
      }

      const { db } = opened;
      const eventsIn = async (status: string) =>
        (
          await db
            .selectFrom('trigger_events')
            .select('event_id')
            .where('status', '=', status as never)
            .execute()
        ).length;
      await expect.poll(() => eventsIn('TRIGGERED'), LIMIT).toBe(sent.length);
      const runs = () => db.selectFrom('workflow_runs').select(['execution_id', 'status']).execute();
      await expect
        .poll(async () => (await runs()).filter(({ status }) => status !== 'COMPLETED').length, LIMIT)
        .toBe(0);
      const executions = new Set((await runs()).map(({ execution_id }) => execution_id));
      expect([(await runs()).length, executions.size]).toEqual([sent.length, sent.length]);

      const told = () =>
        receiver.received.map(({ body, headers }) => ({
          execution: (JSON.parse(body) as { data: { execution_id: string } }).data.execution_id,
          message: headers['webhook-id'],
        }));
      await expect.poll(() => new Set(told().map(({ execution }) => execution)).size, LIMIT).toBe(sent.length);
      expect(new Set(told().map(({ execution }) => execution))).toEqual(executions);
      // A message that came twice is known by its id.
      expect(new Set(told().map(({ message }) => message)).size).toBe(sent.length);

      async function create<T>(path: string, body: object): Promise<T> {
        const answer = await call(server, path, { body });
        expect(answer.status, answer.text).toBe(201);
        return answer.body as T;
      }
    },
  );
});

const echo = defineWorkflow('echo', {}, async (_, input) => input);

/** How servers are started on the database, one after another at the same address. */
async function place(database: TestDatabase, receiver: string) {
  const opened = await database.open();
  const { options } = database;
  const dir = options.kind === 'sqlite' ? join(options.file, '..') : temporaryDir();
  const config = join(temporaryDir(), 'tramontane.yaml');
  writeFileSync(config, JSON.stringify({ models: [], outbound: { allow: [receiver] } }));
  const port = await freePort();
  const env = {
    TRAMONTANE_PORT: String(port),
    TRAMONTANE_TEMPORAL_GATEWAY_PORT: '0',
    ...(options.kind === 'postgres' && { TRAMONTANE_DATABASE_URL: options.url }),
  };
  return {
    opened,
    url: `http://127.0.0.1:${port}`,
    async start(): Promise<Started> {
      // What a killed process held is free once its leases have run out; the test does not wait for that.
      await createTasks({ database: opened, now: Date.now }).endLeases();
      return startServer(dir, config, env);
    },
  };
}
