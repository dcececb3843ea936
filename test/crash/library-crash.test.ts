import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import SqliteConnection from 'better-sqlite3';
import { expect } from 'vitest';
import { call } from '../support/call.ts';
import { temporaryDir } from '../support/databases.ts';
import { inFull } from '../support/in-full.ts';
import { CRASH_KEY, startServer } from './start-server.ts';

const KILLS = 20;
const DOCUMENTS = 60;
const key = CRASH_KEY;

type Document = { id: string; name: string; process_status: string };

/** Of what searches see: how many documents there are, how many of them twice, and how many without all of their chunks. */
function readIndex(file: string) {
  const connection = new SqliteConnection(file, { readonly: true });
  const count = (query: string) => connection.prepare(query).pluck().get();
  const live = 'select * from search_documents where is_live = 1';
  const chunks = (table: string, id: string) =>
    `(select count(*) from ${table} where ${id} >= d.id and ${id} < d.id + d.reserved)`;
  const found = {
    documents: count(`select count(*) from (${live})`),
    twice: count(`select count(*) from (select 1 from (${live}) group by document_id having count(*) > 1)`),
    half: count(
      `select count(*) from (${live}) as d where chunks = 0 or chunks <> ${chunks('search_chunks', 'id')} or chunks <> ${chunks('search_text', 'rowid')}`,
    ),
  };
  connection.close();
  return found;
}

// `process.test.ts` of the room stops a service in the middle; this kills the whole process, many times.
inFull.it(
  'documents whose server is killed while it reads them are read once each, and none is lost',
  async () => {
    const dir = temporaryDir();
    const config = join(dir, 'tramontane.yaml');
    writeFileSync(config, JSON.stringify({ models: [] }));
    let { child, url } = await startServer(join(dir, 'data'), config);
    const { body } = await call({ url, key }, '/v1/libraries', { body: { name: 'Papers' } });
    const documents = `/v1/libraries/${(body as { id: string }).id}/documents`;
    const textOf = (n: number) => `Paper ${n}. `.repeat(20_000).trim();
    for (let n = 0; n < DOCUMENTS; n++) {
      const form = new FormData();
      form.append('file', new Blob([textOf(n)]), `${n}.txt`);
      await fetch(`${url}${documents}`, { method: 'POST', body: form, headers: { authorization: `Bearer ${key}` } });
    }
    for (let kill = 0; kill < KILLS; kill++) {
      await sleep(200 + Math.random() * 300);
      child.kill('SIGKILL');
      await once(child, 'close');
      ({ child, url } = await startServer(join(dir, 'data'), config));
    }
    const list = async () => ((await call({ url, key }, documents)).body as { data: Document[] }).data;
    /** The states of all documents, those that failed with the reason. */
    const states = async () => {
      const found = new Set<string | null>();
      for (const { id, process_status } of await list()) {
        const isFailed = process_status === 'error';
        found.add(
          isFailed ? (await call({ url, key }, `${documents}/${id}`)).headers.get('tramontane-error') : process_status,
        );
      }
      return [...found];
    };
    await expect.poll(states, { timeout: 300_000 }).toEqual(['done']);
    const all = await list();
    expect(all).toHaveLength(DOCUMENTS);
    for (const { id, name } of all) {
      const read = await call({ url, key }, `${documents}/${id}/text_content`);
      expect((read.body as { text: string }).text).toBe(textOf(Number.parseInt(name, 10)));
    }
    child.kill('SIGTERM');
    await once(child, 'close');
    expect(readIndex(join(dir, 'data', 'tramontane.db'))).toEqual({
      documents: DOCUMENTS,
      twice: 0,
      half: 0,
    });
  },
  600_000,
);
