import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { expect } from 'vitest';
import type { HistoryEvent } from '../../packages/workflows/src/protocol.ts';
import { checkHistory } from '../../src/workflows/engines/embedded/engine-for-tests.ts';
import { atEnd } from '../support/cleanup.ts';
import { temporaryDir } from '../support/databases.ts';
import { firstLine } from '../support/first-line.ts';
import { inFull } from '../support/in-full.ts';
import { rounds } from '../support/rounds.ts';
import { freePort } from './start-server.ts';

const EXECUTIONS = rounds(40, 1000);
const KILLS = rounds(2, 40);
const CLIENTS = 8;
const LIFE_MS = 400;
const LIMIT_MS = rounds(120_000, 600_000);
const KEY = 'the-key-of-the-crash-tests-0123456789';
const file = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** A process that is restarted after each kill. */
function phoenix(script: string, args: string[], env: Record<string, string>) {
  let child: ChildProcess | undefined;
  const kill = async () => {
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'close');
    child.kill('SIGKILL');
    await gone;
  };
  atEnd(kill);
  return {
    kill,
    async start() {
      const cache = { NODE_COMPILE_CACHE: join(tmpdir(), 'tramontane-test-compile-cache') };
      child = spawn(process.execPath, [script, ...args], {
        env: { ...process.env, ...cache, ...env },
        stdio: ['ignore', 'pipe', 'ignore'],
      });
      await firstLine(child);
    },
  };
}

inFull.it(
  'of executions under repeated kill -9 of server and worker every one ends, with each result once [WORKFLOWS-SEQUENCE]',
  {
    timeout: LIMIT_MS,
  },
  async () => {
    const dataDir = temporaryDir();
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const server = phoenix(file('./fixtures/notes-server.ts'), [], {
      TRAMONTANE_DATA_DIR: dataDir,
      TRAMONTANE_PORT: String(port),
      TRAMONTANE_BOOTSTRAP_API_KEY: KEY,
      TRAMONTANE_CONFIG: file('../fixtures/no-models.yaml'),
    });
    const worker = phoenix(file('./fixtures/workflow-worker.ts'), [url, KEY], {});
    await server.start();
    await worker.start();

    async function ask(path: string, body?: object): Promise<{ status: number; text: string } | undefined> {
      try {
        const response = await fetch(url + path, {
          method: body ? 'POST' : 'GET',
          headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
          ...(body ? { body: JSON.stringify(body) } : {}),
          signal: AbortSignal.timeout(20_000),
        });
        return { status: response.status, text: await response.text() };
      } catch {
        return undefined;
      }
    }

    /** Repeats until the server confirms that it runs: a response may be lost in a kill. */
    async function begin(n: number): Promise<void> {
      for (;;) {
        const answer = await ask('/v1/workflows/five-steps/execute', { execution_id: `e${n}`, input: { from: n } });
        if (answer && answer.status < 500) {
          expect([200, 409]).toContain(answer.status);
          return;
        }
        await delay(20);
      }
    }

    let next = 0;
    const clients = Array.from({ length: CLIENTS }, async () => {
      for (let n = next++; n < EXECUTIONS; n = next++) await begin(n);
    });
    for (let i = 0; i < KILLS; i++) {
      await delay(LIFE_MS);
      const victim = i % 2 === 0 ? server : worker;
      await victim.kill();
      await victim.start();
    }
    await Promise.all(clients);

    const ended = async () => {
      const answer = await ask('/v1/workflows/runs?status=RUNNING&page_size=1');
      return answer?.status === 200 && (JSON.parse(answer.text) as { executions: unknown[] }).executions.length === 0;
    };
    while (!(await ended())) await delay(100);
    await server.kill();
    check(join(dataDir, 'tramontane.db'));
  },
);

/** The content of the database, read without our own code. */
function check(databaseFile: string): void {
  const database = new Database(databaseFile, { readonly: true });
  const runs = database.prepare('select run_id, execution_id, status, result from workflow_runs').all() as Run[];
  expect(runs.filter(({ status }) => status !== 'COMPLETED')).toEqual([]);
  expect(new Set(runs.map(({ execution_id }) => execution_id)).size).toBe(EXECUTIONS);
  expect(runs).toHaveLength(EXECUTIONS);
  const readHistory = database.prepare('select events from workflow_history where run_id = ? order by first_event_id');
  const readEvents = database.prepare('select seq, type from events where stream like ? order by seq');
  for (const { run_id, execution_id, result } of runs) {
    const n = Number(execution_id.slice(1));
    expect(JSON.parse(result)).toBe(2 * n + 6);
    const batches = readHistory.all(run_id) as { events: string }[];
    const history = batches.flatMap(({ events }) => JSON.parse(events) as HistoryEvent[]);
    checkHistory(history);
    expect(history.filter(({ type }) => type === 'ACTIVITY_TASK_COMPLETED')).toHaveLength(5);
    const stream = readEvents.all(`workflow:%:${execution_id}`) as { seq: number; type: string }[];
    expect(stream.map(({ seq }) => seq)).toEqual(stream.map((_, i) => i + 1));
    expect(stream.at(-1)?.type).toBe('WORKFLOW_EXECUTION_COMPLETED');
    expect(stream.filter(({ type }) => type === 'ACTIVITY_TASK_COMPLETED')).toHaveLength(5);
  }
  database.close();
}

type Run = { run_id: string; execution_id: string; status: string; result: string };
