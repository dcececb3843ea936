import { execFile } from 'node:child_process';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Mistral } from '@mistralai/mistralai';
import { sql } from 'kysely';
import { beforeAll, describe, expect, it } from 'vitest';
import { isSqliteOrFull, onEachDatabase } from '../support/databases.ts';
import { rounds } from '../support/rounds.ts';
import { listedModel, startTestServer, type TestServer } from '../support/server.ts';

const MIB = 1024 * 1024;
const INSTRUCTIONS_MAX = 256 * 1024;
/** Rows from before the limits, as large as a body could be. */
const OLD_ROWS = rounds(1, 40);
const AGENTS = 40 + OLD_ROWS;
const OLD_CHARACTERS = 9.5 * MIB;
const READERS = 6;
const GROWTH_BYTES_MAX = 400 * MIB;

const readLists = fileURLToPath(new URL('./read-lists-for-tests.ts', import.meta.url));
const run = promisify(execFile);

/** The most memory and the longest stall of this process while something happens. */
async function measure<T>(work: () => Promise<T>): Promise<{ result: T; growthBytes: number; stallMs: number }> {
  global.gc?.();
  const before = process.memoryUsage.rss();
  let most = before;
  const delay = monitorEventLoopDelay({ resolution: 10 });
  const timer = setInterval(() => {
    most = Math.max(most, process.memoryUsage.rss());
  }, 20);
  delay.enable();
  const result = await work();
  delay.disable();
  clearInterval(timer);
  return { result, growthBytes: most - before, stallMs: delay.max / 1e6 };
}

/** What one old row takes on this machine to be decoded and encoded again. */
function costOfOldRow(): number {
  const text = JSON.stringify({ instructions: 'x'.repeat(OLD_CHARACTERS) });
  const started = performance.now();
  Buffer.from(JSON.stringify(JSON.parse(text)));
  return performance.now() - started;
}

onEachDatabase('a list of the largest agents', (database) => {
  let server: TestServer;
  const ids: string[] = [];

  const call = (method: string, path: string, body?: unknown) =>
    fetch(`${server.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${server.key}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });

  beforeAll(async () => {
    server = await startTestServer(database, { file: { models: [listedModel('m')] } });
    const instructions = 'x'.repeat(INSTRUCTIONS_MAX);
    for (let n = 0; n < AGENTS; n++) {
      const made = await call('POST', '/v1/agents', { model: 'm', name: `agent ${n}`, instructions });
      ids.unshift(((await made.json()) as { id: string }).id);
    }
    const { db } = server.platform.database;
    const rows = await db.selectFrom('agents').select('object_id').orderBy('created_at').limit(OLD_ROWS).execute();
    for (const { object_id } of rows) {
      const { definition } = await db
        .selectFrom('object_versions')
        .select('definition')
        .where('object_id', '=', object_id)
        .executeTakeFirstOrThrow();
      const old = JSON.stringify({ ...(definition as object), instructions: 'x'.repeat(OLD_CHARACTERS) });
      await sql`update object_versions set definition = ${old} where object_id = ${object_id}`.execute(db);
    }
  });

  it.runIf(isSqliteOrFull(database))(
    'reaches six readers at once whole and in order, with little memory, and others are served in between',
    async () => {
      const { result, growthBytes, stallMs } = await measure(async () => {
        const url = `${server.url}/v1/agents?page_size=1000`;
        const { stdout } = await run(process.execPath, [readLists, url, server.key, String(READERS)], {
          maxBuffer: 16 * MIB,
        });
        return JSON.parse(stdout) as { ids: string[]; characters: number }[];
      });
      const characters = (AGENTS - OLD_ROWS) * INSTRUCTIONS_MAX + OLD_ROWS * OLD_CHARACTERS;
      expect(result).toEqual(Array(READERS).fill({ ids, characters }));
      expect(growthBytes).toBeLessThan(GROWTH_BYTES_MAX);
      // A few steps on one old row may meet in a round; all of them took sixteen seconds before.
      expect(stallMs).toBeLessThan(200 + 10 * costOfOldRow());
    },
    300_000,
  );

  it('is split into pages of some megabytes where it has a cursor, and no agent is lost', async () => {
    const found: string[] = [];
    let pages = 0;
    for (let token = ''; ; pages++) {
      const response = await call('GET', `/v1/agents/pages?page_size=1000${token && `&page_token=${token}`}`);
      const text = await response.text();
      const page = JSON.parse(text) as { data: { id: string }[]; next_page_token: string | null };
      expect(page.data.length === 1 || Buffer.byteLength(text) < 9 * MIB).toBe(true);
      found.push(...page.data.map(({ id }) => id));
      if (page.next_page_token === null) break;
      token = encodeURIComponent(page.next_page_token);
    }
    expect(found).toEqual(ids);
    expect(pages).toBeGreaterThan(OLD_ROWS);
  });

  it('is what the official SDK reads', async () => {
    const client = new Mistral({ serverURL: server.url, apiKey: server.key });
    const listed = await client.beta.agents.list({ pageSize: 20 });
    expect(listed.map(({ id }) => id)).toEqual(ids.slice(0, 20));
    expect(listed[0]?.instructions).toHaveLength(INSTRUCTIONS_MAX);
  });

  describe('an agent from before the limits', () => {
    it('is read and changed, and only a new text beyond the limit is refused', async () => {
      const id = ids.at(-1);
      const old = (await (await call('GET', `/v1/agents/${id}`)).json()) as { instructions: string };
      expect(old.instructions).toHaveLength(OLD_CHARACTERS);
      const renamed = await call('PATCH', `/v1/agents/${id}`, { name: 'new name' });
      expect(renamed.status).toBe(200);
      expect((await renamed.json()) as object).toMatchObject({ name: 'new name', version: 1 });
      const refused = await call('PATCH', `/v1/agents/${id}`, { instructions: 'x'.repeat(INSTRUCTIONS_MAX + 1) });
      expect(refused.status).toBe(422);
      expect(await refused.json()).toMatchObject({
        detail: [{ type: 'string_too_long', loc: ['body', 'instructions'] }],
      });
      const large = await call('POST', '/v1/agents', {
        model: 'm',
        name: 'n',
        instructions: 'x'.repeat(OLD_CHARACTERS),
      });
      expect(large.status).toBe(413);
    });
  });
});
