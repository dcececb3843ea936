import type { GuardrailConfig, GuardrailResult, GuardrailService } from '../guardrails/index.ts';
import type { Call } from '../metering/index.ts';
import type { LivePart, TranscriptPart } from '../models/index.ts';

/** So much text is checked at once; less would be words without their context. */
const CHECKED_CHARACTERS = 1000;

type GuardedPart = TranscriptPart | LivePart;

/** Throws a 403 for what is blocked. */
export type Guard = {
  /** The parts, held back until their text was checked: some of it at a time, or each utterance of a live session. */
  watch<Part extends GuardedPart>(
    parts: AsyncIterator<Part[]>,
    unit?: 'text' | 'utterance',
  ): AsyncGenerator<Part[], void>;
  /** One for each guardrail, over all that was checked. */
  results: GuardrailResult[];
};

/** Checks what is spoken before the client gets it. Rejects when the guardrails themselves are not valid. */
export async function startGuard(
  guardrails: Pick<GuardrailService, 'check'>,
  call: Call,
  wanted: readonly GuardrailConfig[],
): Promise<Guard> {
  const guard: Guard = { watch, results: await guardrails.check(call, wanted, []) };
  return guard;

  async function* watch<Part extends GuardedPart>(
    parts: AsyncIterator<Part[]>,
    unit: 'text' | 'utterance' = 'text',
  ): AsyncGenerator<Part[], void> {
    let held: Part[] = [];
    let characters = 0;
    const check = async () => {
      guard.results = merge(guard.results, await guardrails.check(call, wanted, [spokenIn(held)]));
      const checked = held;
      [held, characters] = [[], 0];
      return checked;
    };
    try {
      for (let next = await parts.next(); !next.done; next = await parts.next()) {
        held.push(...next.value);
        characters += spokenIn(next.value).length;
        const isComplete = unit === 'utterance' && next.value.some(({ kind }) => kind === 'segment');
        if (characters === 0) {
          yield held;
          held = [];
        } else if (isComplete || characters >= CHECKED_CHARACTERS) yield await check();
      }
      if (held.length > 0) yield await check();
    } finally {
      await parts.return?.();
    }
  }
}

/** Segments say what the text says; a server may send only them before the end. */
function spokenIn(parts: readonly GuardedPart[]): string {
  const ofKind = (kind: GuardedPart['kind']) => parts.filter((part) => part.kind === kind);
  const texts = ofKind('text');
  return [...(texts.length > 0 ? texts : [...ofKind('segment'), ...ofKind('word')])]
    .map((part) => ('text' in part ? part.text : ''))
    .join(texts.length > 0 ? '' : ' ');
}

/** The highest scores. */
function merge(before: readonly GuardrailResult[], after: readonly GuardrailResult[]): GuardrailResult[] {
  return after.map((result, at) => {
    const [kind, verdict] = Object.entries(result)[0] ?? [];
    const known = Object.values(before[at] ?? {})[0];
    if (kind === undefined || !verdict?.categories || !known?.categories) return result;
    const categories = { ...known.categories };
    for (const [name, one] of Object.entries(verdict.categories)) {
      const other = categories[name];
      categories[name] = other
        ? { score: Math.max(one.score, other.score), violated: one.violated || other.violated }
        : one;
    }
    return { [kind]: { ...verdict, categories } };
  });
}
