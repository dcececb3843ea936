import { execute } from './execute.ts';
import { handOver, isHandoff } from './hand-over.ts';
import { openCalls } from './open-calls.ts';
import type { Running } from './running.ts';
import { say } from './say.ts';

/** Model turns and tools in turn, until the model has answered or the client is to act. */
export async function runConversation(run: Running): Promise<void> {
  try {
    for (;;) {
      for (const call of [...run.progress.pending]) {
        run.signal.throwIfAborted();
        // A handover takes the calls beside it away.
        if (!run.progress.pending.includes(call)) continue;
        if (!isHandoff(run, call)) await execute(run, call);
        else if (!(await handOver(run, call))) return;
      }
      if (openCalls(run.history).length > 0) return;
      await say(run);
      if (run.progress.pending.length === 0) return;
    }
  } finally {
    run.turn?.abandon();
    await run.toolbox.close();
  }
}
