import type { AnyStep, Log } from '../definitions.ts';
import type { StepHeartbeatRequest, StepHeartbeatResponse, StepResult, StepTask } from '../protocol.ts';
import { where } from '../run/scope.ts';
import type { Api } from './api.ts';
import { StepAttempt } from './step-attempt.ts';

export type Steps = ReturnType<typeof createSteps>;

type Options = {
  api: Api;
  steps: ReadonlyMap<string, AnyStep>;
  max: number;
  now: () => number;
  logFor: (task: StepTask) => Log;
  onFree: () => void;
  onTrouble: (error: unknown) => void;
};

/** Interval of the one timer for all running steps. */
const LOOK_MS = 250;
/** How often the lease of a step is renewed: well within its duration. */
const RENEW_MS = 1000;

/** Runs steps, at most `max` at once; others wait. */
export function createSteps({ api, steps, max, now, logFor, onFree, onTrouble }: Options) {
  const running = new Map<string, StepAttempt>();
  const waiting: { attempt: StepAttempt; done: (result: StepResult) => void }[] = [];
  let whenIdle: (() => void)[] = [];
  let beating: Promise<void> | undefined;

  function begin(attempt: StepAttempt, done: (result: StepResult) => void): void {
    running.set(attempt.task.token, attempt);
    void perform(attempt).then(async (result) => {
      // Progress is published before the result.
      while (attempt.events.length > 0) await beat();
      running.delete(attempt.task.token);
      done({ ...result, token: attempt.task.token });
      const next = waiting.shift();
      if (next) begin(next.attempt, next.done);
      else onFree();
      if (running.size === 0) {
        for (const resolve of whenIdle) resolve();
        whenIdle = [];
      }
    });
  }

  async function perform(attempt: StepAttempt): Promise<StepResult> {
    const { token, name } = attempt.task;
    const step = steps.get(name);
    if (!step) return { token, failure: { message: `This worker has no step "${name}".`, type: 'UnknownStep' } };
    const platform = { url: api.url, apiKey: api.apiKey };
    // Steps are not workflow code: they use real time, timers and the network.
    return where.run(undefined, () => attempt.run(step, platform, () => logFor(attempt.task)));
  }

  /** Also waiting steps have leases. */
  const held = () => [...running.values(), ...waiting.map(({ attempt }) => attempt)];

  /** One request for all due heartbeats; later ones go with the next. */
  function beat(): Promise<void> {
    beating ??= sendBeats().finally(() => {
      beating = undefined;
    });
    return beating;
  }

  async function sendBeats(): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, 20));
    const nowMs = now();
    const due = held().filter((attempt) => isDue(attempt, nowMs));
    if (due.length === 0) return;
    const sent = due.map((attempt) => ({ attempt, events: attempt.events.slice() }));
    const request: StepHeartbeatRequest = {
      steps: sent.map(({ attempt, events }) => ({
        token: attempt.task.token,
        ...(attempt.details === undefined ? {} : { details: attempt.details }),
        ...(events.length === 0 ? {} : { events }),
      })),
    };
    try {
      const { data } = await api.post<StepHeartbeatResponse>(
        '/v1/workflows/workers/steps/heartbeat',
        JSON.stringify(request),
      );
      for (const [at, { attempt, events }] of sent.entries()) {
        attempt.events.splice(0, events.length);
        attempt.heardMs = nowMs;
        attempt.hasNews = false;
        judge(attempt, data.steps[at]?.status);
      }
    } catch (error) {
      onTrouble(error);
      // An unreachable server must not hold the result back forever.
      for (const { attempt, events } of sent) attempt.events.splice(0, events.length);
    }
  }

  function judge(attempt: StepAttempt, status: StepHeartbeatResponse['steps'][number]['status'] | undefined): void {
    if (status === 'cancel_requested') cancel(attempt.task.token);
    if (status !== 'stale') return;
    attempt.abort('The step is not this worker’s any more.');
    stopWaiting(attempt);
  }

  function stopWaiting(attempt: StepAttempt): void {
    const at = waiting.findIndex((item) => item.attempt === attempt);
    if (at !== -1) waiting.splice(at, 1);
  }

  function cancel(token: string): void {
    const attempt = running.get(token);
    if (!attempt) return;
    attempt.isCancelRequested = true;
    attempt.abort('The step was cancelled.');
  }

  const timer = setInterval(() => {
    const nowMs = now();
    for (const attempt of held()) {
      if (nowMs - attempt.beganMs > attempt.task.timeout_ms) attempt.abort('The step ran out of time.');
      if (isDue(attempt, nowMs)) void beat();
    }
  }, LOOK_MS);
  timer.unref();

  return {
    get free() {
      return Math.max(0, max - running.size - waiting.length);
    },
    get running() {
      return running.size;
    },
    /** Whether a step may begin before the server has heard of it. */
    mayBeginAhead(name: string): boolean {
      const step = steps.get(name);
      return step !== undefined && step.settings.recordFirst !== true;
    },
    /** `isKnown` is false for a step that begins before the server has heard of it. */
    run(task: StepTask, isKnown: boolean, done: (result: StepResult) => void): StepAttempt {
      const attempt = new StepAttempt(task, now(), isKnown, () => void beat());
      if (running.size < max) begin(attempt, done);
      else waiting.push({ attempt, done });
      return attempt;
    },
    /** The same step got another place in the history than the one it began for. */
    adopt(attempt: StepAttempt, task: StepTask): void {
      const isRunning = running.delete(attempt.task.token);
      attempt.task = { ...task, input: attempt.task.input };
      if (isRunning) running.set(task.token, attempt);
    },
    /** Nobody waits for it any more. */
    discard(attempt: StepAttempt): void {
      stopWaiting(attempt);
      attempt.discard();
    },
    cancel,
    idle: () => (running.size === 0 ? Promise.resolve() : new Promise<void>((resolve) => void whenIdle.push(resolve))),
    /** Aborts running steps; their results are ignored. */
    stop(reason: string): void {
      clearInterval(timer);
      waiting.length = 0;
      for (const attempt of running.values()) attempt.abort(reason);
    },
  };
}

/** Steps with `heartbeatMs` send heartbeats themselves; the worker does so for all others. */
function isDue(attempt: StepAttempt, nowMs: number): boolean {
  if (!attempt.isKnown) return false;
  if (attempt.events.length > 0) return true;
  const silentMs = nowMs - attempt.heardMs;
  const { heartbeat_ms } = attempt.task;
  if (heartbeat_ms === undefined) return silentMs >= RENEW_MS || (attempt.hasNews && silentMs >= 500);
  return attempt.hasNews && silentMs >= Math.min(1000, heartbeat_ms / 3);
}
