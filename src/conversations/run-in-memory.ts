import { isoMicros } from '../kit/base/clock.ts';
import { ApiError, type SseEvent } from '../kit/http/index.ts';
import { type Answer, type Call, responseOf } from './answer.ts';
import type { Ready } from './begin-run.ts';
import { createMemoryJournal } from './run/memory-journal.ts';
import { runConversation } from './run/run-conversation.ts';
import type { RunPorts } from './run/running.ts';

/** A run of which nothing is kept: it ends when the client leaves, and cannot be come back to. */
export async function runInMemory(ports: RunPorts, call: Call, ready: Ready): Promise<Answer> {
  const { row, history, speaker, toolbox, turn, stop } = ready;
  const { progress, task } = row;
  const journal = createMemoryJournal();
  const at = () => isoMicros(ports.now);
  call.signal.addEventListener('abort', () => stop.abort(call.signal.reason));
  journal.emit({ type: 'conversation.response.started', created_at: at(), conversation_id: ready.conversationId });

  async function run(): Promise<void> {
    const { signal } = stop;
    await runConversation({
      ports,
      task,
      journal,
      signal,
      history,
      progress,
      speaker,
      toolbox,
      chunks: [],
      servedBy: undefined,
      turn,
    });
    const done = { type: 'conversation.response.done' as const, created_at: at(), usage: progress.usage };
    await journal.end(done, progress, { error: null });
  }

  if (!task.streams) {
    await run();
    return responseOf(
      row,
      journal.outputs.map(({ entry }) => entry),
    );
  }
  const running = run().catch(async (error: unknown) => {
    const known = error instanceof ApiError ? error : undefined;
    const message = known?.message ?? 'Something went wrong on our side. Report the request id to the operator.';
    const code = known?.status ?? 500;
    await journal.end({ type: 'conversation.response.error', created_at: at(), message, code }, progress, {
      error: null,
    });
    if (!known && !call.signal.aborted) throw error;
  });
  return streamOf(journal.events(), running);
}

async function* streamOf(
  events: AsyncGenerator<{ type: string }, undefined>,
  running: Promise<void>,
): AsyncGenerator<SseEvent> {
  for await (const data of events) yield { event: data.type, data };
  // The client has been told; the server logs what it does not know.
  await running;
}
