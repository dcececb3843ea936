import { randomUUID } from 'node:crypto';
import type { Log, StepContext } from '../definitions.ts';
import { isError, NonRetryable, toFailure, UnhandledError } from '../errors.ts';
import type { CustomTaskEvent } from '../protocol.ts';
import type { LocalStep } from '../run/active-run.ts';
import type { Execution, LocalResult, LocalResults } from '../run/execution.ts';
import { startProgressTask } from '../run/progress-task.ts';
import { where } from '../run/scope.ts';
import { toJson } from '../to-json.ts';
import { traceOfStep } from '../trace-of-step.ts';
import { stepCode } from './attribute-errors.ts';
import { pause } from './backoff.ts';

type Options = { run: Execution; rootExecutionId: string; platform: StepContext['platform']; log: Log };

/** Must fit into the lease of the turn, or another worker takes it. */
const LOCAL_MS_MAX = 2000;

/** Runs local steps concurrently and yields their results as they come. */
export function createLocalRunner({ run, rootExecutionId, platform, log }: Options): LocalResults {
  const running = new Map<number, Promise<LocalResult>>();
  return async (open) => {
    for (const [seq, local] of open)
      if (!running.has(seq))
        running.set(
          seq,
          where.run(undefined, () => perform(local)),
        );
    // Cancelled meanwhile.
    const waited = [...running].filter(([seq]) => open.has(seq)).map(([, result]) => result);
    if (waited.length === 0) return undefined;
    const first = await Promise.race(waited);
    running.delete(first.seq);
    return first;
  };

  async function perform({ seq, step, input }: LocalStep): Promise<LocalResult> {
    const { retry } = step.options;
    const events: CustomTaskEvent[] = [];
    const deadline = AbortSignal.timeout(Math.min(LOCAL_MS_MAX, step.options.timeout_ms));
    for (let attempt = 1; ; attempt++) {
      try {
        let onStray = (_error: unknown) => {};
        const failed = new Promise<never>((_resolve, reject) => {
          deadline.addEventListener('abort', () =>
            reject(new NonRetryable('A local step took too long; call it with ctx.step.')),
          );
          onStray = (error) => {
            const stray = new UnhandledError(`step "${step.name}"`, error);
            log.error(stray.message);
            reject(stray);
          };
        });
        const code = async () => {
          const given = step.read(input[0], `The input of the step "${step.name}"`);
          return step.run(given, context(seq, attempt, deadline, events));
        };
        const result = await Promise.race([stepCode.run({ onStray }, code), failed]);
        return { seq, details: { name: step.name, result: toJson(result) }, events };
      } catch (error) {
        const failure = toFailure(error);
        const isLast = retry.max_attempts !== 0 && attempt >= retry.max_attempts;
        const isFinal =
          failure.non_retryable ||
          isError(error, 'NonRetryable') ||
          retry.non_retryable_types.includes(failure.type ?? '');
        if (isLast || isFinal || deadline.aborted) return { seq, details: { name: step.name, failure }, events };
        await pause(
          Math.min(retry.max_interval_ms, retry.initial_interval_ms * retry.backoff ** (attempt - 1)),
          deadline,
        );
      }
    }
  }

  function context(seq: number, attempt: number, signal: AbortSignal, events: CustomTaskEvent[]): StepContext {
    const { info } = run;
    return {
      executionId: info.execution_id,
      runId: info.run_id,
      workflow: info.workflow_name,
      idempotencyKey: `${info.run_id}/${seq}`,
      attempt,
      signal,
      lastHeartbeat: undefined,
      heartbeat: () => undefined,
      task: (type, state) =>
        startProgressTask({ id: randomUUID(), type, emit: (event) => void events.push(event) }, state),
      log,
      platform,
      get traceparent() {
        return traceOfStep(rootExecutionId, info.run_id, String(seq));
      },
    };
  }
}
