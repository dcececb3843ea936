/** How long a model's process may give no sign of life before it counts as hung. */
export type Patience = {
  askEveryMs: number;
  /** While it loads its model: importing a runtime from a slow disk keeps it from answering. */
  startingMs: number;
  /** Once it serves. The longest it is honestly busy with is a text's tokens or a grammar, which takes a second or two. */
  silentMs: number;
  /** For one and the same piece of work in native code, while the process itself still answers. */
  stuckMs: number;
};

const PATIENCE: Patience = { askEveryMs: 5000, startingMs: 120_000, silentMs: 30_000, stuckMs: 300_000 };

export type Watch = {
  /** It said something, whatever it was. */
  heard(): void;
  /** It answered our question. `work` numbers the piece of work that its native code has in hand, if any. */
  answered(work: number | undefined): void;
  ready(): void;
  stop(): void;
};

/**
 * Asks a child again and again whether it lives, and reports once when it does not. Time is counted in our own turns and
 * not by a clock: when the whole machine slept, or this process was stopped, that is one turn and nobody's silence.
 */
export function watchChild(options: {
  ask(): void;
  hung(reason: string): void;
  patience?: Partial<Patience> | undefined;
}): Watch {
  const { askEveryMs, startingMs, silentMs, stuckMs } = { ...PATIENCE, ...options.patience };
  let silentMax = startingMs / askEveryMs;
  let silentTurns = 0;
  let workTurns = 0;
  let lastWork: number | undefined;

  const timer = setInterval(() => {
    if (silentTurns >= silentMax) return report(`gave no sign of life for ${(silentTurns * askEveryMs) / 1000} s`);
    silentTurns++;
    options.ask();
  }, askEveryMs);
  timer.unref();

  function report(reason: string): void {
    clearInterval(timer);
    options.hung(reason);
  }

  return {
    heard() {
      silentTurns = 0;
    },
    answered(work) {
      silentTurns = 0;
      workTurns = work !== undefined && work === lastWork ? workTurns + 1 : 0;
      lastWork = work;
      if (workTurns >= stuckMs / askEveryMs) report(`made no progress for ${(workTurns * askEveryMs) / 1000} s`);
    },
    ready() {
      silentMax = silentMs / askEveryMs;
    },
    stop: () => clearInterval(timer),
  };
}
