import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { temporaryDir } from '../support/databases.ts';
import { inFull } from '../support/in-full.ts';
import { rounds } from '../support/rounds.ts';
import { buildPowerLossShim, materialise, powerLossEnv } from './power-loss.ts';
import { CRASH_KEY, startServer } from './start-server.ts';

const ROUNDS = rounds(1, 50);
const WRITERS = 20;
const KEY = CRASH_KEY;
const noModels = fileURLToPath(new URL('../fixtures/no-models.yaml', import.meta.url));
const shim = buildPowerLossShim();

const start = (dataDir: string, env: Record<string, string>) => startServer(dataDir, noModels, env);

/**
 * Runs twenty writers until the server is killed, some time after it has acknowledged the first write of each; returns
 * what it acknowledged.
 */
async function writeUntilKilled(child: ChildProcess, url: string, round: number): Promise<Map<string, string>> {
  const acknowledged = new Map<string, string>();
  const agent = new Agent({ keepAlive: true, maxSockets: WRITERS });
  const dead = once(child, 'close');
  const enough = WRITERS + 1 + Math.floor(Math.random() * 10 * WRITERS);
  const write = async (writer: number) => {
    for (let i = 0; child.exitCode === null && child.signalCode === null; i++) {
      const text = `round ${round} writer ${writer} note ${i} ${'x'.repeat(i % 3 === 0 ? 5000 : 10)}`;
      const id = await post(`${url}/v1/notes`, agent, { text });
      if (id === undefined) return;
      acknowledged.set(id, text);
      if (acknowledged.size === enough) setTimeout(() => child.kill('SIGKILL'), Math.random() * 20);
    }
  };
  await Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(writer)));
  await dead;
  agent.destroy();
  return acknowledged;
}

/** The id of the note once its whole 201 was read; undefined when the server died first. */
function post(url: string, agent: Agent, body: unknown): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' };
    const sent = request(url, { method: 'POST', agent, headers }, (response) => {
      let text = '';
      response.on('data', (chunk) => {
        text += chunk;
      });
      response.on('error', () => resolve(undefined));
      response.on('end', () => {
        if (!response.complete) return resolve(undefined);
        if (response.statusCode !== 201) return reject(new Error(`${response.statusCode} ${text}`));
        resolve((JSON.parse(text) as { id: string }).id);
      });
    });
    sent.on('error', () => resolve(undefined));
    sent.end(JSON.stringify(body));
  });
}

function verify(dataDir: string, acknowledged: Map<string, string>): void {
  const database = new Database(join(dataDir, 'tramontane.db'));
  try {
    expect(database.pragma('integrity_check')).toEqual([{ integrity_check: 'ok' }]);
    const notes = new Map(
      (database.prepare('select id, text from notes').all() as { id: string; text: string }[]).map(({ id, text }) => [
        id,
        text,
      ]),
    );
    const lost = [...acknowledged].filter(([id, text]) => notes.get(id) !== text);
    expect(lost).toEqual([]);
    // A note and its event are one transaction: one without the other would be half a write.
    const events = database.prepare('select seq, data from events order by seq').all() as {
      seq: number;
      data: string;
    }[];
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, i) => i + 1));
    expect(new Set(events.map(({ data }) => (JSON.parse(data) as { id: string }).id))).toEqual(new Set(notes.keys()));
  } finally {
    database.close();
  }
}

async function survive(
  dataDir: string,
  environment: () => Record<string, string>,
  afterDeath: () => void,
): Promise<number> {
  const acknowledged = new Map<string, string>();
  for (let round = 1; round <= ROUNDS; round++) {
    const { child, url } = await start(dataDir, environment());
    const written = await writeUntilKilled(child, url, round);
    for (const [id, text] of written) acknowledged.set(id, text);
    afterDeath();
    verify(dataDir, acknowledged);
  }
  return acknowledged.size;
}

describe('a server under twenty writers', () => {
  it('loses no acknowledged write and shows no half-written one over fifty kill -9', async () => {
    const dataDir = join(temporaryDir(), 'data');
    const count = await survive(
      dataDir,
      () => ({}),
      () => undefined,
    );
    expect(count).toBeGreaterThan(ROUNDS * WRITERS);
  }, 300_000);

  inFull.given(shim).it(
    'loses none either when the power fails fifty times and unsynced writes are gone',
    async () => {
      const base = temporaryDir();
      const [dir, shadow] = [join(base, 'disk'), join(base, 'shadow')];
      const afterDeath = () => {
        rmSync(dir, { recursive: true, force: true });
        materialise(shadow, dir);
      };
      const count = await survive(
        join(dir, 'data'),
        () => powerLossEnv({ dir, shadow, syncMs: 2, leak: 0.1 }),
        afterDeath,
      );
      expect(count).toBeGreaterThan(ROUNDS * WRITERS);
    },
    300_000,
  );
});
