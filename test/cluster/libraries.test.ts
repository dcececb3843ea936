import { expect, inject, it } from 'vitest';
import { call } from '../support/call.ts';
import { inFull } from '../support/in-full.ts';
import { type Cluster, startCluster } from './start-cluster.ts';

const serverUrl = inject('postgresUrl');
const DOCUMENTS = 90;
const KILLS = 8;
const KILL_EVERY_MS = 1000;

type Document = { id: string; name: string; process_status: string };
const textOf = (n: number) => `Paper ${n} is about the number ${n}. `.repeat(400).trim();

inFull.given(serverUrl).describe('documents that three servers read at once', () => {
  it('are read once each, found from all of them, and none is half there, also if servers are killed', async () => {
    const cluster = await startCluster({ serverUrl: serverUrl ?? '' });
    const { body } = await call(cluster, '/v1/libraries', { body: { name: 'Papers' } });
    const { id } = body as { id: string };
    const documents = `/v1/libraries/${id}/documents`;
    await Promise.all(
      Array.from({ length: DOCUMENTS }, async (_, n) => {
        // The same content at two servers at once is one document.
        await Promise.all([send(cluster, n, n, documents), send(cluster, n, n + 1, documents)]);
      }),
    );
    for (let kill = 0; kill < KILLS; kill++) {
      await cluster.kill(kill % 3);
      await cluster.start(kill % 3);
      if (kill + 1 < KILLS) await new Promise((resolve) => setTimeout(resolve, KILL_EVERY_MS));
    }
    const list = async () => {
      const found = (await call(cluster, `${documents}?page_size=100`)).body as { data: Document[] };
      return found.data;
    };
    const states = async () => [...new Set((await list()).map(({ process_status }) => process_status))];
    await expect.poll(states, { timeout: 300_000, interval: 200 }).toEqual(['done']);
    expect((await list()).map(({ name }) => name).sort()).toEqual(
      Array.from({ length: DOCUMENTS }, (_, n) => `${n}.txt`).sort(),
    );
    for (const index of [0, 1, 2]) {
      const search = { query: `"Paper ${DOCUMENTS - 1}"`, mode: 'text' };
      const found = await call(cluster.at(index), `/v1/libraries/${id}/search`, { body: search });
      expect(found.text).toContain(`Paper ${DOCUMENTS - 1} is about`);
    }
    expect(await readIndex(cluster)).toEqual({ documents: DOCUMENTS, twice: 0, half: 0 });
  }, 600_000);
});

async function send(cluster: Cluster, n: number, server: number, documents: string): Promise<void> {
  const { url, key } = cluster.at(server % 3);
  const form = new FormData();
  form.append('file', new Blob([textOf(n)]), `${n}.txt`);
  const headers = { authorization: `Bearer ${key}` };
  const response = await fetch(`${url}${documents}`, { method: 'POST', body: form, headers });
  expect([200, 201]).toContain(response.status);
}

/** Of what searches see: how many documents there are, how many of them twice, and how many without all of their chunks. */
async function readIndex(cluster: Cluster) {
  const chunks = (table: string) =>
    `(select count(*) from ${table} as c where c.id >= d.id and c.id < d.id + d.reserved)`;
  const [found] = await cluster.query<{ documents: number; twice: number; half: number }>(`
    select count(*)::int as documents, (count(*) - count(distinct document_id))::int as twice,
      count(*) filter (where chunks = 0 or chunks <> ${chunks('search_chunks')} or chunks <> ${chunks('search_text')})::int as half
    from search_documents as d where is_live`);
  return found;
}
