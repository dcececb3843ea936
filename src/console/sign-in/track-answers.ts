const STEP_MS = 1000;
const STEP_MAX_MS = 60_000;
/** A provider is taken for silent once this many sessions in a row got no answer; before that, each only for itself. */
const SILENT_AFTER = 3;
const SESSIONS_MAX = 10_000;

type Silence = { misses: number; retryAtMs: number };
type Entry = Silence & { askedAtMs: number };

/** What this process knows of the answers of one provider, by session. */
export type Answers = {
  /** When the last question that was answered was asked; 0 where there was none. */
  askedAt(id: string): number;
  /** `wait`: ask and wait. `try`: it was silent lately; ask, and do not wait. `leave`: it is too early to ask again. */
  plan(id: string): 'wait' | 'try' | 'leave';
  noteAnswer(id: string, askedAtMs: number): void;
  noteSilence(id: string): void;
};

export function trackAnswers(now: () => number): Answers {
  const entries = new Map<string, Entry>();
  const provider: Silence = { misses: 0, retryAtMs: 0 };

  function keep(id: string, entry: Entry): void {
    // The one that was answered longest ago goes first.
    entries.delete(id);
    entries.set(id, entry);
    if (entries.size > SESSIONS_MAX) entries.delete(entries.keys().next().value ?? '');
  }

  const stepMs = ({ misses }: Silence) => Math.min(STEP_MAX_MS, STEP_MS * 2 ** Math.min(misses - 1, 10));

  return {
    askedAt: (id) => entries.get(id)?.askedAtMs ?? 0,
    plan(id) {
      const entry = entries.get(id);
      const silent = provider.misses >= SILENT_AFTER ? provider : entry && entry.misses > 0 ? entry : undefined;
      if (!silent) return 'wait';
      if (now() < silent.retryAtMs) return 'leave';
      // One question per step, however many requests there are.
      silent.retryAtMs = now() + stepMs(silent);
      return 'try';
    },
    noteAnswer(id, askedAtMs) {
      provider.misses = 0;
      keep(id, { askedAtMs, misses: 0, retryAtMs: 0 });
    },
    noteSilence(id) {
      const entry = entries.get(id) ?? { askedAtMs: 0, misses: 0, retryAtMs: 0 };
      for (const silence of [provider, entry]) {
        silence.misses++;
        silence.retryAtMs = now() + stepMs(silence);
      }
      keep(id, entry);
    },
  };
}
