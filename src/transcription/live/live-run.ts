import type { Clock } from '../../kit/base/clock.ts';
import { type Call, type Meter, type Run, startRun } from '../../metering/index.ts';

/** So much audio is one entry of the ledger: a crash loses no more, and a spent budget ends the session. */
const ENTRY_SECONDS = 60;

/** The bill of a session that may last for hours. */
export type LiveRun = {
  add: Run['add'];
  admit: Run['admit'];
  /** Called as the audio goes on; throws when the budget is spent. */
  heard(seconds: number): Promise<void>;
  settle(): void;
  fail(error: unknown): unknown;
};

export async function startLiveRun(
  accounts: { now: Clock; meter: Meter },
  { scope, requestId, signal, setHeader }: Call,
  model: string,
): Promise<LiveRun> {
  const start = (isContinued: boolean): Run | Promise<Run> => {
    // The session was admitted as one request; its later entries count for budgets, not for rates.
    const call = { scope: isContinued ? { ...scope, isBackground: true } : scope, requestId, signal, setHeader };
    return startRun(accounts, call, { kind: 'transcription', model, estimatedTokens: ENTRY_SECONDS });
  };
  let run = await start(false);
  let entryStart = 0;
  return {
    add: (usage) => run.add(usage),
    admit: () => run.admit(),
    async heard(seconds) {
      if (seconds - entryStart < ENTRY_SECONDS) return;
      entryStart = seconds;
      run.settle(200);
      run = await start(true);
    },
    settle: () => run.settle(200),
    fail: (error) => run.fail(error),
  };
}
