import type { Clock } from '../../kit/base/clock.ts';
import type { Logger } from '../../kit/base/log.ts';
import type { Database } from '../../kit/db/index.ts';
import type { Scope } from '../../kit/http/index.ts';
import type { BatchJobStatus } from '../schema.ts';
import { hasEnded, type JobRow } from '../store.ts';
import { type Ask, answerLine } from './answer-line.ts';
import { createAnswerLog } from './answer-log.ts';
import { loadAnswered } from './answered.ts';
import type { Pace } from './pace.ts';
import { readLines } from './read-lines.ts';

/** Why a job ends before its last line. */
class Ended extends Error {
  readonly status: BatchJobStatus;
  constructor(status: BatchJobStatus) {
    super(status);
    this.status = status;
  }
}

export type JobPorts = {
  database: Database;
  ask: Ask;
  pace: Pace;
  wait: (ms: number, signal: AbortSignal) => Promise<void>;
  now: Clock;
  log: Logger;
};

export type Outcome = { status: BatchJobStatus; lines: number };

/**
 * Asks every line that has no answer yet, several at a time. Returns how the job ends; throws when this process must
 * let it go, and another takes it up where the stored answers leave off.
 */
export async function answerAll(
  ports: JobPorts,
  job: JobRow,
  scope: Scope,
  contents: AsyncIterable<Uint8Array>,
  given: AbortSignal,
): Promise<Outcome> {
  const { database, ask, pace, wait, now, log } = ports;
  const isAnswered = await loadAnswered(database.db, job.id);
  const end = new AbortController();
  const signal = AbortSignal.any([given, end.signal]);
  const answers = createAnswerLog(database, job.id, {
    written(row) {
      if (!row || row.status === 'CANCELLATION_REQUESTED' || hasEnded(row)) end.abort(new Ended('CANCELLED'));
      else if (now() >= job.ends_at_ms) end.abort(new Ended('TIMEOUT_EXCEEDED'));
    },
    failed: (error) => end.abort(error),
  });
  const running = new Set<Promise<void>>();
  let position = 0;
  const onFailure = (err: unknown, at: number) =>
    log.error({ err, job: job.id, position: at }, 'a batch request failed');

  async function take(): Promise<Outcome> {
    for await (const line of readLines(contents)) {
      const at = position++;
      if (isAnswered(at)) continue;
      const leave = await pace.enter(signal);
      const answer = answerLine(line, { job, scope, position: at, ask, wait, onFailure, signal })
        .then((row) => answers.add(row))
        .catch((error) => end.abort(error))
        .finally(() => {
          leave();
          running.delete(answer);
        });
      running.add(answer);
    }
    await Promise.all(running);
    signal.throwIfAborted();
    return { status: 'SUCCESS', lines: position };
  }

  try {
    return await take();
  } catch (error) {
    await Promise.all(running);
    given.throwIfAborted();
    const { reason } = end.signal;
    if (reason instanceof Ended) return { status: reason.status, lines: position };
    throw error;
  } finally {
    await answers.close();
  }
}
