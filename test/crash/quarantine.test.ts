import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, inject, it } from 'vitest';
import { answerVectors } from '../../src/classifiers/classifiers-for-tests.ts';
import { startReceiver } from '../../src/notifications/receive-for-tests.ts';
import { atEnd } from '../support/cleanup.ts';
import {
  onSqliteFirst,
  postgresForTests,
  sqliteForTests,
  type TestDatabase,
  temporaryDir,
} from '../support/databases.ts';
import { firstLine } from '../support/first-line.ts';
import { startFakeMcp } from '../support/mcp-server.ts';
import { rounds } from '../support/rounds.ts';
import { completion, json, startUpstream } from '../support/upstream.ts';
import { ALL_KINDS, FEW_KINDS, type Kind, type Place, POISON, SLEEPER, SOUND } from './quarantine-kinds.ts';
import { freePort, CRASH_KEY as key, spawnServer } from './start-server.ts';

/** The others take as long in the full run only. */
const KINDS: Record<string, Kind> = rounds(FEW_KINDS, ALL_KINDS);
/** The full run starts an empty server by turns with the other, which is ready within twice its time. */
const isMeasured = rounds(false, true);
/** Every so many starts, because load comes and goes. */
const MEASURED_EVERY = 2;
const LIMIT = { timeout: rounds(60_000, 400_000), interval: 100 };
/** Tasks are stored when they kill, and the server has been ready. */
const KILLS_AFTER_MS = 200;
/** As a supervisor waits, so that a worker whose server is away does not take the processor. */
const WORKER_WAITS_MS = 500;
const workerScript = fileURLToPath(new URL('../../src/workflows/deadly-worker-for-tests.ts', import.meta.url));

onSqliteFirst('stored work of which each attempt kills the server', (database) => {
  it('is set aside after three deaths, whatever its kind; the server is ready after each, and all other work is done', {
    timeout: 600_000,
  }, async () => {
    const outside = await startOutside();
    const server = await openServer(database, outside.config);
    const empty = await openServer(another(database), outside.config);
    const at: Place = { url: server.url, key, receiver: outside.receiver };
    const { db } = server.opened;

    // Its first start is that of a new database.
    if (isMeasured) await empty.timeStart();
    await server.start();
    if (SLEEPER in KINDS) await keepWorking(at);
    const stored: Record<string, { sound: string; poison: string }> = {};
    const store = async ([name, kind]: [string, Kind]) => {
      stored[name] = { sound: await kind.store(at, SOUND), poison: await kind.store(at, POISON) };
    };
    const [patient = [], impatient = []] = [false, true].map((is) =>
      Object.entries(KINDS).filter(([, { isImpatient = false }]) => isImpatient === is),
    );
    const listQueues = (kinds: [string, Kind][]) => [...new Set(kinds.map(([, { queue }]) => queue))].sort();
    for (const kind of patient) await store(kind);
    const begun = listQueues(patient);
    const waiting = async () => {
      const tasks = await db.selectFrom('tasks').select('queue').where('queue', 'in', begun).distinct().execute();
      const timers = await db.selectFrom('workflow_timers').select('run_id').execute();
      return [...tasks.map(({ queue }) => queue), ...(timers.length === 2 ? ['executions'] : [])].sort();
    };
    await expect.poll(waiting, LIMIT).toEqual(begun);
    for (const kind of impatient) await store(kind);

    const times = { empty: [] as number[], poisoned: [] as number[] };
    let deaths = 0;
    let isOver = false;
    outside.killBy(server.child);
    await server.kill();
    const living = (async () => {
      for (; !isOver; deaths++) {
        const isTurn = isMeasured && deaths % MEASURED_EVERY === 0;
        if (isTurn) times.empty.push(await empty.timeStart());
        const ms = await server.start(stored[SLEEPER]?.poison);
        if (isTurn) times.poisoned.push(ms);
        await server.death();
      }
    })();
    atEnd(() => {
      isOver = true;
    });

    const setAside = async () => {
      const tasks = await db.selectFrom('tasks').select('queue').where('state', '=', 'quarantined').execute();
      const executions = await db
        .selectFrom('workflow_runs')
        .select('run_id')
        .where('quarantined_at', 'is not', null)
        .execute();
      return [...tasks.map(({ queue }) => queue), ...executions.map(() => 'executions')].sort();
    };
    const expected = Object.values(KINDS).map(({ queue }) => queue);
    await Promise.race([living, expect.poll(setAside, LIMIT).toEqual(expected.sort())]);
    const died = deaths;

    for (const [name, { read, ends }] of Object.entries(KINDS)) {
      const { sound, poison } = stored[name] as { sound: string; poison: string };
      await expect.poll(() => read(at, sound), { ...LIMIT, message: `sound ${name}` }).toEqual(ends.sound);
      expect([name, await read(at, poison)]).toEqual([name, ends.poison]);
    }
    expect(deaths).toBe(died);
    const entries = db
      .selectFrom('audit_logs')
      .select('event_type')
      .where('event_type', 'in', ['task.quarantine', 'workflow.execution.quarantine']);
    await expect.poll(async () => (await entries.execute()).length, LIMIT).toBe(expected.length);
    const metrics = await (await fetch(`${at.url}/metrics`)).text();
    for (const queue of listQueues(Object.entries(KINDS)))
      expect(metrics).toContain(
        `tramontane_quarantined_tasks{queue="${queue}"} ${expected.filter((one) => one === queue).length}`,
      );
    if (isMeasured) {
      const medians = { empty: median(times.empty), poisoned: median(times.poisoned) };
      console.log(`${died} deaths on ${database.kind}; ready after, in ms:`, JSON.stringify({ medians, times }));
      expect(times.poisoned.length).toBeGreaterThanOrEqual(3);
      expect(medians.poisoned).toBeLessThanOrEqual(2 * medians.empty);
    }
    isOver = true;
    await server.kill();
    await living;
  });
});

const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

const another = ({ kind }: TestDatabase) =>
  kind === 'sqlite' ? sqliteForTests() : postgresForTests(inject('postgresUrl') ?? '');

/** A model server, a site, a receiver and a connector. Poison gets no answer from them, and later kills the server. */
async function startOutside() {
  let victim: () => ChildProcess | undefined = () => undefined;
  function swallow(): void {
    const child = victim();
    setTimeout(() => child?.kill('SIGKILL'), KILLS_AFTER_MS);
  }
  const upstream = await startUpstream();
  upstream.answerWith((asked, response) => {
    if (JSON.stringify(asked.body).includes(POISON)) return swallow();
    if (asked.path.endsWith('/embeddings')) return answerVectors(asked, response);
    json(response, 200, completion('ok'));
  });
  const receiver = await startReceiver();
  receiver.answerWith(({ path }, response) => {
    if (path.includes(POISON)) return swallow();
    const page = `<urlset><url><loc>${receiver.url}/page</loc></url></urlset>`;
    const [type, body] = path.endsWith('.xml') ? ['application/xml', page] : ['text/html', '<p>Words</p>'];
    response.writeHead(200, { 'content-type': type }).end(body);
  });
  const connector = await startFakeMcp();
  connector.instead = () => {
    swallow();
    return true;
  };
  const config = join(temporaryDir(), 'tramontane.yaml');
  const model = { engine: 'upstream', url: upstream.url };
  const models = [
    { ...model, id: 'small' },
    { ...model, id: 'vectors', kind: 'embeddings' },
  ];
  writeFileSync(
    config,
    JSON.stringify({
      models,
      libraries: { summary_model: 'small' },
      search: { embedding_model: 'vectors' },
      outbound: { allow: [receiver.place] },
      connectors: [{ id: POISON, url: connector.url }],
    }),
  );
  return {
    config,
    receiver: receiver.url,
    killBy(next: typeof victim) {
      victim = next;
    },
  };
}

/** A server that is started again and again, at one address. */
async function openServer(database: TestDatabase, config: string) {
  const opened = await database.open();
  const { options } = database;
  const dir = options.kind === 'sqlite' ? join(options.file, '..') : temporaryDir();
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  let child: ChildProcess | undefined;

  /** Resolves when it is ready, with the time that took. */
  async function start(deadlyExecution?: string): Promise<number> {
    await endWaiting();
    const deadly = deadlyExecution && (await findRun(deadlyExecution));
    const begun = performance.now();
    child = spawnServer(dir, config, {
      TRAMONTANE_PORT: String(port),
      ...(options.kind === 'postgres' && { TRAMONTANE_DATABASE_URL: options.url }),
      ...(deadly && { TRAMONTANE_TEST_DEADLY_RUN: deadly }),
    });
    child.stderr?.pipe(process.stderr);
    child.stdout?.resume();
    while (!(await isReady())) {
      if (child.exitCode !== null || child.signalCode !== null) throw new Error('It ended before it was ready.');
      await sleep(10);
    }
    return Math.round(performance.now() - begun);
  }

  const isReady = () =>
    fetch(`${url}/readyz`).then(
      ({ status }) => status === 200,
      () => false,
    );

  /** Of leases of the dead server, for which others wait on PostgreSQL, and of timers. */
  async function endWaiting(): Promise<void> {
    const { db } = opened;
    await db.updateTable('tasks').set({ due_ms: Date.now() }).where('state', '=', 'running').execute();
    await db.updateTable('workflow_resumes').set({ since_ms: 0 }).execute();
    await db.updateTable('workflow_timers').set({ due_ms: Date.now() }).where('due_ms', '<', 4e15).execute();
  }

  async function findRun(executionId: string): Promise<string> {
    const run = opened.db.selectFrom('workflow_runs').select('run_id').where('execution_id', '=', executionId);
    return (await run.executeTakeFirstOrThrow()).run_id;
  }

  async function death(): Promise<void> {
    if (child && child.exitCode === null && child.signalCode === null) await once(child, 'close');
  }

  async function kill(): Promise<void> {
    child?.kill('SIGKILL');
    await death();
  }

  return {
    ...{ url, opened, start, death, kill, child: () => child },
    async timeStart(): Promise<number> {
      const ms = await start();
      await kill();
      return ms;
    },
  };
}

/** A worker that is started again whenever it dies. */
async function keepWorking({ url, key }: Place): Promise<void> {
  let isOver = false;
  let worker: ChildProcess;
  let started = 0;
  function start(): ChildProcess {
    worker = spawn(process.execPath, [workerScript, url, key, `worker-${started++}`], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    worker.once('exit', () => {
      if (!isOver) setTimeout(start, WORKER_WAITS_MS);
    });
    return worker;
  }
  const first = start();
  atEnd(() => {
    isOver = true;
    worker.kill('SIGKILL');
  });
  await firstLine(first);
}
