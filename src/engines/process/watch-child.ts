/** How long a child process may be silent before it counts as hung. */
export type Patience = {
  askEveryMs: number;
  /** While it loads: importing a runtime from a slow disk blocks it. */
  startingMs: number;
  /** Once it serves. Tokenizing a text or compiling a grammar blocks it for a second or two at most. */
  silentMs: number;
  /** For one and the same piece of work in native code, while the process itself still answers. */
  stuckMs: number;
};

const PATIENCE: Patience = { askEveryMs: 5000, startingMs: 120_000, silentMs: 30_000, stuckMs: 300_000 };

export type Watch = {
  /** Any message arrived. */
  heard(): void;
  /** A pong arrived. `work` numbers what its native code is working on, if anything. */
  answered(work: number | undefined): void;
  ready(): void;
  stop(): void;
};

/**
 * Pings a child and reports once when it hangs. Time is counted in turns of this timer and not by a clock: a machine that
 * slept, or a server that was stopped, has then missed one turn and not minutes.
 */
export function watchChild(options: {
  ask(): void;
  /** `hung`: the process itself no longer answers. `stalled`: it does, but its native code makes no progress. */
  hung(reason: string, how: 'hung' | 'stalled'): void;
  patience?: Partial<Patience> | undefined;
}): Watch {
  const { askEveryMs, startingMs, silentMs, stuckMs } = { ...PATIENCE, ...options.patience };
  let silentMax = startingMs / askEveryMs;
  let silentTurns = 0;
  let workTurns = 0;
  let lastWork: number | undefined;

  const timer = setInterval(() => {
    if (silentTurns >= silentMax)
      return report(`gave no sign of life for ${(silentTurns * askEveryMs) / 1000} s`, 'hung');
    silentTurns++;
    options.ask();
  }, askEveryMs);
  timer.unref();

  function report(reason: string, how: 'hung' | 'stalled'): void {
    clearInterval(timer);
    options.hung(reason, how);
  }

  return {
    heard() {
      silentTurns = 0;
    },
    answered(work) {
      silentTurns = 0;
      workTurns = work !== undefined && work === lastWork ? workTurns + 1 : 0;
      lastWork = work;
      if (workTurns >= stuckMs / askEveryMs)
        report(`made no progress for ${(workTurns * askEveryMs) / 1000} s`, 'stalled');
    },
    ready() {
      silentMax = silentMs / askEveryMs;
    },
    stop: () => clearInterval(timer),
  };
}
