import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { run } from '../../src/cli/run-for-tests.ts';
import { MODEL, post, readEvents, type Said, startScript } from '../../src/conversations/conversations-for-tests.ts';
import { uploaded } from '../../src/files/upload-for-tests.ts';
import { type Answer, call } from '../support/call.ts';
import { inFull } from '../support/in-full.ts';
import { rounds } from '../support/rounds.ts';
import type { ScriptedUpstream } from '../support/upstream.ts';
import { ADMIN_KEY, type Address, type Cluster, startCluster } from './start-cluster.ts';

const serverUrl = inject('postgresUrl');
const ROUNDS = rounds(3, 50);
const CONVERSATIONS = '/v1/conversations';

describe.runIf(serverUrl)('three servers on one PostgreSQL', () => {
  let cluster: Cluster;
  let upstream: ScriptedUpstream;
  let says: (...next: Said[]) => void;
  let unsay: () => void;
  beforeAll(async () => {
    ({ upstream, says, unsay } = await startScript());
    const capabilities = { completion_chat: true };
    const model = { id: MODEL, engine: 'upstream', url: upstream.url, upstream_model: 'scripted', capabilities };
    cluster = await startCluster({ serverUrl: serverUrl ?? '', file: { models: [model] } });
  });
  const everywhere = <T>(ask: (server: Address, index: number) => Promise<T>): Promise<T[]> =>
    Promise.all([0, 1, 2].map((index) => ask(cluster.at(index), index)));
  const statuses = async (answers: Promise<Answer[]>) => (await answers).map(({ status }) => status);

  it('that start together migrate once and make one organization, and all of them serve', async () => {
    expect(await statuses(everywhere((server) => call(server, '/readyz')))).toEqual([200, 200, 200]);
    const [counted] = await cluster.query<{ names: number; all: number }>(
      'select count(distinct name)::int as names, count(*)::int as all from migrations',
    );
    expect(counted?.names).toBe(counted?.all);
    expect(await cluster.query('select id from organizations')).toHaveLength(1);
    expect(await cluster.query('select id from api_keys')).toHaveLength(2);
  });

  it('know a new key at once, and a revoked one no more from the moment it is revoked [AUTH-REVOKED]', async () => {
    const me = (await call(cluster, '/v1/users/me')).body as { id: string; workspace: { id: string } };
    for (let round = 0; round < ROUNDS; round++) {
      const [here, there] = [cluster.at(round % 3), cluster.at((round + 1) % 3)];
      const made = await call(here, '/v1/admin/api-keys', {
        key: ADMIN_KEY,
        body: { workspace_uuid: me.workspace.id, user_id: me.id },
      });
      const { key, key_id } = made.body as { key: string; key_id: string };
      const use = () => statuses(everywhere((server) => call(server, '/v1/users/me', { key })));
      expect(await use()).toEqual([200, 200, 200]);
      // Now cached on all of them.
      expect(await use()).toEqual([200, 200, 200]);
      await call(there, `/v1/admin/api-keys/${key_id}`, { method: 'DELETE', key: ADMIN_KEY });
      expect(await use()).toEqual([401, 401, 401]);
    }
  });

  it('do what an Idempotency-Key stands for once, wherever its requests arrive', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const body = { name: `once-${randomUUID()}`, definition: { content: 'Hi' } };
      const headers = { 'idempotency-key': randomUUID() };
      const send = (server: Address) => call(server, '/v2/prompts', { body, headers });
      const answers = [...(await everywhere(send)), ...(await everywhere(send))];
      expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
      expect(answers[0]?.body).toMatchObject({ name: body.name, version: 1 });
    }
  });

  it.each(['prompts', 'skills'])('show a moved alias of %s at once on the others', async (kind) => {
    const name = `moved-${randomUUID()}`;
    const definition = (n: number) =>
      kind === 'prompts' ? { content: `v${n}` } : { description: 'Counts.', body: `v${n}` };
    await call(cluster, `/v2/${kind}`, { body: { name, definition: definition(1), aliases: ['live'] } });
    for (let version = 2; version < 2 + ROUNDS; version++) {
      const writer = cluster.at(version % 3);
      const body = { definition: definition(version), aliases: ['live'] };
      expect((await call(writer, `/v2/${kind}/${name}/versions`, { body })).status).toBe(200);
      const read = await everywhere((server) => call(server, `/v2/${kind}/${name}?alias=live`));
      expect(read.map(({ body: shown }) => (shown as { version: number }).version)).toEqual([
        version,
        version,
        version,
      ]);
    }
  });

  it('read on one what was uploaded on another, and forget it together', async () => {
    const content = `{"n":"${randomUUID()}"}\n`;
    const { id } = await uploaded(cluster.at(0), content, { purpose: 'batch' });
    const read = () => everywhere((server) => call(server, `/v1/files/${id}/content`));
    expect((await read()).map(({ text }) => text)).toEqual([content, content, content]);
    await call(cluster.at(1), `/v1/files/${id}`, { method: 'DELETE' });
    expect(await statuses(read())).toEqual([404, 404, 404]);
  });

  it('show the events of a run to readers on the others as they come, also when the database drops every connection', async () => {
    const words = Array.from({ length: 24 }, (_, n) => `w${n} `);
    const { promise: until, resolve: finish } = Promise.withResolvers<void>();
    says({ words, paceMs: 40, until });
    const writer = await post(cluster.at(0), CONVERSATIONS, { model: MODEL, inputs: 'Hi', stream: true });
    const told: number[] = [];
    const whole = readEvents(writer, (seen) => {
      told.push(seen.length);
      return false;
    });
    await expect.poll(() => told.length).toBeGreaterThan(0);
    const [conversation] = await cluster.query<{ id: string }>(
      'select id from conversations order by created_at desc limit 1',
    );
    const follow = (index: number, after?: number) =>
      fetch(`${cluster.at(index).url}${CONVERSATIONS}/${conversation?.id}/events`, {
        headers: {
          authorization: `Bearer ${cluster.key}`,
          ...(after === undefined ? {} : { 'last-event-id': String(after) }),
        },
      });
    let dropped: Promise<number> | undefined;
    const readers = [1, 2].map(async (index) => {
      const response = await follow(index);
      return readEvents(response, (seen) => {
        // Live: the run cannot end before a reader has seen part of it.
        if (seen.length >= 6) dropped ??= cluster.dropConnections();
        if (seen.length >= 12) finish();
        return false;
      });
    });
    const [{ text }, ...others] = await Promise.all([whole, ...readers]);
    expect(await dropped).toBeGreaterThan(3);
    expect(others.map((other) => other.text)).toEqual([text, text]);
    expect(text).toContain('conversation.response.done');
    const resumed = await readEvents(await follow(1, 5));
    expect(text.endsWith(resumed.text)).toBe(true);
    expect(resumed.events[0]?.id).toBe(6);
  });

  inFull.it('read documents of one library together, each of them once and whole', async () => {
    const { id } = (await call(cluster, '/v1/libraries', { body: { name: 'Shared' } })).body as { id: string };
    const path = `/v1/libraries/${id}/documents`;
    const textOf = (n: number) => `Paper ${n} of the tides. `.repeat(400 + n * 20);
    await Promise.all(
      Array.from({ length: 18 }, async (_, n) => {
        const form = new FormData();
        form.append('file', new Blob([textOf(n)]), `${n}.txt`);
        const { url, key } = cluster.at(n % 3);
        const headers = { authorization: `Bearer ${key}` };
        expect((await fetch(`${url}${path}`, { method: 'POST', headers, body: form })).status).toBe(201);
      }),
    );
    type Listed = { data: { process_status: string; name: string }[] };
    const states = async () =>
      ((await call(cluster.at(1), path)).body as Listed).data.map(({ process_status }) => process_status);
    await expect.poll(states, { timeout: 60_000, interval: 200 }).toEqual(Array(18).fill('done'));
    const [index] = await cluster.query<Record<string, number>>(
      `select count(*)::int as rows, count(distinct document_id)::int as documents, sum(chunks)::int as chunks,
        sum((select count(*) from search_chunks as c where c.id >= d.id and c.id < d.id + d.reserved))::int as stored,
        sum((select count(*) from search_text as t where t.id >= d.id and t.id < d.id + d.reserved))::int as words
      from search_documents as d join search_collections as s on s.no = d.collection_no where s.collection_id = $1`,
      [id],
    );
    expect(index).toMatchObject({ rows: 18, documents: 18, stored: index?.chunks, words: index?.chunks });
    const found = await everywhere((server) =>
      call(server, `/v1/libraries/${id}/search`, { body: { query: 'tides', mode: 'text', top_k: 50 } }),
    );
    const texts = found.map(({ body }) => (body as { data: { chunk_id?: string; text: string }[] }).data.length);
    expect(new Set(texts).size).toBe(1);
  });

  it('run a batch job on one of them, and ask the model once for each line', async () => {
    const asked = upstream.calls.length;
    const requests = Array.from({ length: 30 }, (_, n) => ({
      custom_id: `r${n}`,
      body: { messages: [{ role: 'user', content: `line ${n}` }] },
    }));
    const made = await call(cluster, '/v1/batch/jobs', {
      body: { endpoint: '/v1/chat/completions', model: MODEL, requests },
    });
    const { id } = made.body as { id: string };
    const job = async (index: number) => (await call(cluster.at(index), `/v1/batch/jobs/${id}`)).body;
    await expect
      .poll(() => job(1), { timeout: 20_000 })
      .toMatchObject({ status: 'SUCCESS', completed_requests: 30, succeeded_requests: 30 });
    expect(await job(2)).toMatchObject({ status: 'SUCCESS', succeeded_requests: 30 });
    expect(upstream.calls.length - asked).toBe(30);
  });

  it('let through together what a limit allows, and not one request more', async () => {
    const environment = { TRAMONTANE_DATABASE_URL: cluster.databaseUrl };
    const limit = ['limits', 'set', '--workspace', 'Default', '--requests-per-second', '20'];
    expect(await run(limit, environment)).toMatchObject({ code: 0 });
    const asked = upstream.calls.length;
    const body = { model: MODEL, messages: [{ role: 'user', content: 'hello' }] };
    const began = performance.now();
    const answers = await Promise.all(
      Array.from({ length: 90 }, (_, n) => call(cluster.at(n % 3), '/v1/chat/completions', { body })),
    );
    const seconds = (performance.now() - began) / 1000;
    const admitted = answers.filter(({ status }) => status === 200).length;
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(90 - admitted);
    expect(upstream.calls.length - asked).toBe(admitted);
    expect(admitted).toBeGreaterThanOrEqual(10);
    expect(admitted).toBeLessThanOrEqual(Math.ceil(20 + 20 * seconds));
    expect(await run(['limits', 'clear', '--workspace', 'Default'], environment)).toMatchObject({ code: 0 });
    expect(await statuses(everywhere((server) => call(server, '/v1/chat/completions', { body })))).toEqual([
      200, 200, 200,
    ]);
  });

  it('let one of two appends through that come at once on two servers', async () => {
    const { body } = await call(cluster, CONVERSATIONS, { body: { model: MODEL, inputs: 'Hi' } });
    const { conversation_id: id } = body as { conversation_id: string };
    for (let round = 0; round < ROUNDS; round++) {
      const { promise: until, resolve: finish } = Promise.withResolvers<void>();
      // A refused request may or may not have called the model, now or a moment later: all replies wait.
      unsay();
      says(...Array<Said>(4).fill({ words: ['word'], until }));
      const appends = [0, 1].map(async (index) => {
        const answer = await call(cluster.at(index), `${CONVERSATIONS}/${id}`, { body: { inputs: `from ${index}` } });
        if (answer.status !== 200) finish();
        return answer.status;
      });
      expect((await Promise.all(appends)).sort()).toEqual([200, 409]);
    }
    const { entries } = (await call(cluster.at(2), `${CONVERSATIONS}/${id}/history`)).body as { entries: unknown[] };
    expect(entries).toHaveLength(2 + 2 * ROUNDS);
  });
});
