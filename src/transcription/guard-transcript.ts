import type { GuardrailConfig, GuardrailResult, GuardrailService } from '../guardrails/index.ts';
import type { Call } from '../metering/index.ts';
import type { TranscriptPart } from '../models/index.ts';

/** So much text is checked at once; less would be words without their context. */
const CHECKED_CHARACTERS = 1000;

export type Guard = {
  /** The parts, held back until their text was checked. Throws a 403 for what is blocked. */
  watch(parts: AsyncIterator<TranscriptPart[]>): AsyncGenerator<TranscriptPart[], void>;
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

  async function* watch(parts: AsyncIterator<TranscriptPart[]>): AsyncGenerator<TranscriptPart[], void> {
    let held: TranscriptPart[] = [];
    let text = '';
    const check = async () => {
      guard.results = merge(guard.results, await guardrails.check(call, wanted, [text]));
      const checked = held;
      [held, text] = [[], ''];
      return checked;
    };
    try {
      for (let next = await parts.next(); !next.done; next = await parts.next()) {
        held.push(...next.value);
        text += spokenIn(next.value);
        if (text === '') {
          yield held;
          held = [];
        } else if (text.length >= CHECKED_CHARACTERS) yield await check();
      }
      if (held.length > 0) yield await check();
    } finally {
      await parts.return?.();
    }
  }
}

/** Segments say what the text says; a server may send only them before the end. */
function spokenIn(parts: readonly TranscriptPart[]): string {
  const ofKind = (kind: TranscriptPart['kind']) => parts.filter((part) => part.kind === kind);
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
