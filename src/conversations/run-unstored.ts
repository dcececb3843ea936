import { type Clock, isoMicros } from '../kit/base/clock.ts';
import { ApiError, type SseEvent } from '../kit/http/index.ts';
import type { AdmittedRun, Call } from './begin-run.ts';
import { type Reply, toResponse } from './respond.ts';
import { endEventOf } from './run/durable-journal.ts';
import { toRunError } from './run/execute-run.ts';
import { recordRun } from './run/record-spans.ts';
import type { Journal, RunPorts } from './run/run.ts';
import { runTurns } from './run/run-turns.ts';
import type { StreamEvent } from './schema/responses.ts';

/** Executes a run with `store: false`: nothing is stored, and the run ends when the client disconnects. */
export async function runUnstored(ports: RunPorts, call: Call, admitted: AdmittedRun): Promise<Reply> {
  const { row, history, speaker, toolbox, turn, stop } = admitted;
  const { journal, events } = createMemoryJournal(admitted, ports.now);
  call.signal.addEventListener('abort', () => stop.abort(call.signal.reason));

  async function execute(): Promise<void> {
    await runTurns({
      ports,
      task: row.task,
      journal,
      signal: stop.signal,
      history,
      progress: row.progress,
      speaker,
      toolbox,
      author: { model: speaker.model, agent_id: speaker.agent?.id ?? null },
      chunks: [],
      turn,
    });
    await journal.end({ error: null }, isoMicros(ports.now));
    recordRun(ports, row, speaker, { error: null });
  }

  const failed = (error: unknown) => recordRun(ports, row, speaker, { error: toRunError(error) });
  if (!row.task.streams) {
    await execute().catch((error: unknown) => {
      failed(error);
      throw error;
    });
    return toResponse(row, history.slice(row.output_from));
  }
  const executed = execute().catch(async (error: unknown) => {
    await journal.end({ error: toRunError(error) }, isoMicros(ports.now));
    failed(error);
    if (!(error instanceof ApiError) && !call.signal.aborted) throw error;
  });
  return streamEvents(events(), executed);
}

async function* streamEvents(events: AsyncGenerator<StreamEvent>, executed: Promise<void>): AsyncGenerator<SseEvent> {
  for await (const data of events) yield { event: data.type, data };
  // Throws an unexpected error, so that the server logs it.
  await executed;
}

function createMemoryJournal({ row, history }: AdmittedRun, now: Clock) {
  const { conversation_id, progress } = row;
  const waiting: StreamEvent[] = [
    { type: 'conversation.response.started', created_at: isoMicros(now), conversation_id },
  ];
  let isEnded = false;
  let wake: () => void = () => undefined;

  function show(event: StreamEvent): void {
    waiting.push(event);
    wake();
  }

  const journal: Journal = {
    emit: (event) => show({ created_at: isoMicros(now), output_index: progress.outputs, ...event }),
    async commit(entries) {
      history.push(...entries);
    },
    hold(entries) {
      history.push(...entries);
    },
    async end(outcome) {
      isEnded = true;
      show(endEventOf(outcome, progress, now));
    },
  };

  async function* events(): AsyncGenerator<StreamEvent, undefined> {
    for (;;) {
      yield* waiting.splice(0);
      if (isEnded && waiting.length === 0) return undefined;
      if (waiting.length === 0)
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
    }
  }

  return { journal, events };
}
