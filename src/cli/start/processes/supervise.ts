import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Config } from '../../../config/config.ts';
import type { Environment } from '../../../config/environment.ts';
import { openDoor, type ReadMetrics } from '../../../kit/http/index.ts';
import { CommandFailure } from '../../../operator/command-failure.ts';
import type { BootstrapResult } from '../../../tenants/index.ts';
import { type FromProcess, SHARED_VARIABLE, type ToProcess } from './messages.ts';

const RESTART_MS = { first: 250, longest: 30_000 };
/** A process that lived so long did not fail at its start. */
const HEALTHY_MS = 60_000;
const REPORT_MS = 2_000;
const FIRST_TRIES = 4;
/** Beyond the time for requests that run: for connections that go on after a retirement, and to close everything. */
const END_MS = 25_000;

/** Without a word of its own. */
class EndedAtStart extends CommandFailure {}

type Serving = { child: ChildProcess; pid: number; ended: Promise<number>; bootstrap: BootstrapResult };
/** A place of which one process serves; its process changes. */
type Slot = { serving: Serving | undefined; failures: number; restarted: Promise<void> };

export type Processes = {
  url: string;
  bootstrap: BootstrapResult;
  /** Replaces one process after the other. Rejects when a new one does not start; then the others are as they were. */
  reload(): Promise<void>;
  stop(): Promise<void>;
  /** At once, whatever runs. */
  kill(): void;
};

type Options = {
  count: number;
  config: Config;
  environment: Environment;
  onNews(text: string): void;
};

/**
 * Runs several server processes behind one port. This process only accepts connections and hands each to the next
 * process; it reads nothing of them.
 */
export async function startProcesses({ count, config, environment, onNews }: Options): Promise<Processes> {
  const door = await openDoor(config);
  const endMs = config.file.server.drain_seconds * 1000 + END_MS;
  const slots: Slot[] = Array.from({ length: count }, () => ({
    ...{ serving: undefined, failures: 0, restarted: Promise.resolve() },
  }));
  let isStopping = false;
  let turn = 0;

  const tell = (child: ChildProcess, message: ToProcess) => void child.send(message, () => undefined);
  const living = () => slots.flatMap(({ serving }) => (serving ? [serving] : []));

  const reports = new Map<number, (pid: number, metrics: ReadMetrics) => void>();
  let lastReport = 0;
  async function gather(asking: ChildProcess, id: number): Promise<void> {
    const others = living().filter(({ child }) => child !== asking);
    const collected = new Map<number, ReadMetrics>();
    const key = ++lastReport;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, REPORT_MS);
      const look = () => {
        if (collected.size < others.length) return;
        clearTimeout(timer);
        resolve();
      };
      reports.set(key, (pid, metrics) => {
        collected.set(pid, metrics);
        look();
      });
      for (const { child } of others) tell(child, { kind: 'report', id: key });
      look();
    });
    reports.delete(key);
    tell(asking, { kind: 'gathered', id, reports: [...collected.values()] });
  }

  /** Resolves when it is ready to serve. */
  async function startOne(): Promise<Serving> {
    const child = fork(process.argv[1] ?? '', ['start'], {
      execArgv: process.execArgv,
      env: { ...environment, [SHARED_VARIABLE]: '1' } as NodeJS.ProcessEnv,
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    const pid = child.pid ?? 0;
    const ended = once(child, 'exit').then(([code]) => code as number);
    return new Promise((resolve, reject) => {
      child.once('error', reject);
      child.on('message', (message: FromProcess) => {
        if (message.kind === 'ready') resolve({ child, pid, ended, bootstrap: message.bootstrap });
        else if (message.kind === 'failed') reject(new CommandFailure(message.message));
        else if (message.kind === 'gather') void gather(child, message.id);
        else reports.get(message.id)?.(pid, message.metrics);
      });
      void ended.then((code) => reject(new EndedAtStart(`A server process ended with ${code} at its start.`)));
    });
  }

  function watch(slot: Slot, serving: Serving): void {
    slot.serving = serving;
    const since = performance.now();
    void serving.ended.then((code) => {
      // A process that was replaced is not in its slot any more.
      if (isStopping || slot.serving !== serving) return;
      slot.serving = undefined;
      slot.failures = performance.now() - since > HEALTHY_MS ? 0 : slot.failures;
      onNews(`server process ${serving.pid} ended (${code}); starting another`);
      slot.restarted = startAgain(slot);
    });
  }

  /** Stored work may end it; after three deaths that is set aside. What it says itself, such as a wrong setting, is final. */
  async function startFirst(): Promise<Serving> {
    for (let tries = 1; ; tries++) {
      const started = await startOne().catch((error: Error) => error);
      if (!(started instanceof Error)) return started;
      if (!(started instanceof EndedAtStart) || tries === FIRST_TRIES) throw started;
      onNews(`${started.message} Starting another.`);
    }
  }

  async function startAgain(slot: Slot): Promise<void> {
    while (!isStopping) {
      const waitMs = Math.min(RESTART_MS.longest, RESTART_MS.first * 2 ** slot.failures++);
      await delay(waitMs);
      if (isStopping) return;
      const started = await startOne().catch((error: Error) => error);
      if (!(started instanceof Error)) {
        if (isStopping) return tell(started.child, { kind: 'stop' });
        return watch(slot, started);
      }
      onNews(`a server process does not start: ${started.message}`);
    }
  }

  async function end(serving: Serving, kind: 'retire' | 'stop'): Promise<void> {
    tell(serving.child, { kind });
    const timer = setTimeout(() => serving.child.kill('SIGKILL'), endMs);
    await serving.ended;
    clearTimeout(timer);
  }

  function handOver(socket: Socket): void {
    const ready = living();
    const serving = ready[turn++ % Math.max(ready.length, 1)];
    if (!serving) return void socket.destroy();
    const message: ToProcess = { kind: 'connection' };
    serving.child.send(message, socket, (error) => void (error && socket.destroy()));
  }

  async function stop(): Promise<void> {
    isStopping = true;
    door.close();
    await Promise.all(living().map((serving) => end(serving, 'stop')));
  }

  const kill = () => {
    for (const { child } of living()) child.kill('SIGKILL');
  };
  try {
    // Alone: it migrates and sets up the platform, which the others then find.
    const first = await startFirst();
    watch(slots[0] as Slot, first);
    await Promise.all(slots.slice(1).map(async (slot) => watch(slot, await startOne())));
    // Nothing is read here: the bytes belong to the process that gets the socket.
    door.open(handOver);
    return { url: door.url, bootstrap: first.bootstrap, reload, stop, kill };
  } catch (error) {
    isStopping = true;
    door.close();
    kill();
    throw error;
  }

  async function reload(): Promise<void> {
    for (const slot of slots) {
      // A slot has one process that starts, or two would serve in it.
      await slot.restarted;
      const next = await startOne();
      const before = slot.serving;
      slot.failures = 0;
      if (isStopping) return tell(next.child, { kind: 'stop' });
      watch(slot, next);
      if (before) await end(before, 'retire');
    }
  }
}
