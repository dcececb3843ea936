import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startReceiver } from '../../src/notifications/receive-for-tests.ts';
import { call } from '../support/call.ts';
import { atEnd } from '../support/cleanup.ts';
import { onSqliteFirst, temporaryDir } from '../support/databases.ts';
import { isFull } from '../support/rounds.ts';
import { completion, json, startUpstream } from '../support/upstream.ts';
import { CRASH_KEY as key, type Started, startServer } from './start-server.ts';

const LIMIT = { timeout: 60_000, interval: 100 };
const POISON = 'poison';

type Kind = 'conversation' | 'batch' | 'document' | 'notification';
/** The others are as long in the full run only. */
const KINDS: Kind[] = isFull ? ['conversation', 'batch', 'document', 'notification'] : ['conversation', 'batch'];

onSqliteFirst('stored work of which each attempt kills the server', (database) => {
  it('is set aside after three deaths, whatever its kind; the server listens at once, and all other work is done', {
    timeout: 600_000,
  }, async () => {
    let server: Started | undefined;
    let isStopping = false;
    let deaths = 0;
    // A run is stored while its model is asked.
    const kill = () => void setTimeout(() => server?.child.kill('SIGKILL'), 200);
    const upstream = await startUpstream();
    upstream.answerWith(({ body }, response) => {
      if (JSON.stringify(body).includes(POISON)) return kill();
      json(response, 200, completion('ok'));
    });
    const receiver = await startReceiver();
    receiver.answerWith(({ body }, response) => {
      if (body.includes('conversation.run.ended')) return kill();
      response.writeHead(200).end();
    });

    const opened = await database.open();
    const { options } = database;
    const dir = options.kind === 'sqlite' ? join(options.file, '..') : temporaryDir();
    const config = join(temporaryDir(), 'tramontane.yaml');
    writeFileSync(
      config,
      JSON.stringify({
        models: [{ id: 'small', engine: 'upstream', url: upstream.url }],
        libraries: { summary_model: 'small' },
        outbound: { allow: [receiver.place] },
      }),
    );
    const env = options.kind === 'postgres' ? { TRAMONTANE_DATABASE_URL: options.url } : {};

    async function start(): Promise<void> {
      // On PostgreSQL other servers would wait for the leases of the dead one, and so would this test.
      await opened.db.updateTable('tasks').set({ due_ms: Date.now() }).where('state', '=', 'running').execute();
      const next = await startServer(dir, config, env);
      expect((await fetch(`${next.url}/healthz`)).status).toBe(200);
      server = next;
      void once(next.child, 'close').then(async () => {
        if (isStopping) return;
        deaths++;
        await start();
      });
    }
    atEnd(() => {
      isStopping = true;
    });
    await start();

    /** Sends to whichever server lives. */
    async function send<T>(path: string, body?: object): Promise<T> {
      for (;;) {
        const url = server?.url ?? '';
        const answer = await call({ url, key }, path, body ? { body } : {}).catch(() => undefined);
        if (answer && answer.status < 300) return answer.body as T;
        if (answer && answer.status < 500) throw new Error(answer.text);
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    }
    const batchOf = (text: string) =>
      send<{ id: string }>('/v1/batch/jobs', {
        ...{ endpoint: '/v1/chat/completions', model: 'small' },
        requests: [{ custom_id: '1', body: { messages: [{ role: 'user', content: text }] } }],
      });
    const library = await send<{ id: string }>('/v1/libraries', { name: 'Papers' });
    async function uploadText(text: string): Promise<string> {
      for (;;) {
        const form = new FormData();
        form.append('file', new Blob([text]), 'a.txt');
        const headers = { authorization: `Bearer ${key}` };
        const url = `${server?.url}/v1/libraries/${library.id}/documents`;
        const answer = await fetch(url, { method: 'POST', body: form, headers }).catch(() => undefined);
        if (answer?.ok) return ((await answer.json()) as { id: string }).id;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    }

    const sound = { batch: (await batchOf('Hi')).id, document: await uploadText('Words of a paper. '.repeat(50)) };
    if (KINDS.includes('notification'))
      await send('/v1/notifications/endpoints', { url: receiver.url, event_types: ['conversation.run.ended'] });
    const stored: Record<Kind, () => Promise<unknown>> = {
      conversation: () =>
        // Ended by its own poison, so it is not repeated.
        call({ url: server?.url ?? '', key }, '/v1/conversations', { body: { model: 'small', inputs: POISON } }).catch(
          () => undefined,
        ),
      batch: () => batchOf(POISON),
      document: () => uploadText(`${POISON}. `.repeat(50)),
      notification: () => send('/v1/conversations', { model: 'small', inputs: 'Hi' }),
    };
    for (const kind of KINDS) await stored[kind]();

    const queues = async () => {
      const rows = await opened.db.selectFrom('tasks').select('queue').where('state', '=', 'quarantined').execute();
      return new Set(rows.map(({ queue }) => queue)).size;
    };
    await expect.poll(queues, { ...LIMIT, timeout: isFull ? 300_000 : 60_000 }).toBe(KINDS.length);
    // The poison of a notification is made by more than one run.
    if (!isFull) expect(deaths).toBeLessThanOrEqual(3 * KINDS.length);
    await expect
      .poll(async () => (await send<{ status: string }>(`/v1/batch/jobs/${sound.batch}`)).status, LIMIT)
      .toBe('SUCCESS');
    const read = () => send<{ process_status: string }>(`/v1/libraries/${library.id}/documents/${sound.document}`);
    await expect.poll(async () => (await read()).process_status, LIMIT).toBe('done');

    // The conversation can be used again: its run ended with an error.
    const runs = await opened.db.selectFrom('conversation_runs').select(['state', 'outcome']).execute();
    expect(runs).toContainEqual({
      state: 'failed',
      outcome: expect.objectContaining({ error: expect.objectContaining({ code: 'run_interrupted' }) }),
    });
    const metrics = await (await fetch(`${server?.url}/metrics`)).text();
    expect(metrics).toMatch(/tramontane_quarantined_tasks\{queue="batch"\} 1/);
    const audited = await opened.db
      .selectFrom('audit_logs')
      .select('event_type')
      .where('event_type', '=', 'task.quarantine')
      .execute();
    expect(audited.length).toBeGreaterThanOrEqual(KINDS.length);
    isStopping = true;
    kill();
  });
});
