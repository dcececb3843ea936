import { Script } from 'node:vm';
import type { Expression } from './find-expressions.ts';

const TRIED_LENGTH = 3000;
/** A linear search over this few characters takes hundredths of this. */
const SUSPICIOUS_MS = 1;
const LIMIT_MS = 3000;
/** Characters that classes and escapes may match. */
const SAMPLES = [' ', 'a', '0', '\n', '.', '-', '/', '"', '_', 'Z', '\t', "'", '\\', ':', '@', '%', '=', ',', 'é', '<'];
const ENDINGS = ['\u0000', '', '!', '\n'];

export type Effort = { literals: number; heads: number; samples: number; pairs: number; endings: number };

export type Finding = Expression & { ms: number; attack: string };

/** The longest time that an expression takes on a text of this length, built from the parts of the expression. */
export function attackExpression(expression: Expression, characters: number, effort: Effort): Finding {
  let worst: Finding = { ...expression, ms: 0, attack: '' };
  const own = new RegExp(expression.source, expression.flags.replace(/[gy]/g, ''));
  for (const attack of attacksOn(expression.source, effort)) {
    if (quickest(own, attack.of(Math.min(TRIED_LENGTH, characters))) < SUSPICIOUS_MS) continue;
    const ms = timeBounded(expression, attack.of(characters));
    if (ms > worst.ms) worst = { ...expression, ms, attack: attack.name };
    if (ms >= LIMIT_MS) break;
  }
  return worst;
}

function quickest(expression: RegExp, text: string): number {
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 3 && best >= SUSPICIOUS_MS; round++) {
    const before = performance.now();
    expression.test(text);
    best = Math.min(best, performance.now() - before);
  }
  return best;
}

// A script can be interrupted in the middle of a search; a plain call cannot.
function timeBounded({ source, flags }: Expression, text: string): number {
  const script = new Script('new RegExp(source, flags.replace(/[gy]/g, "")).test(text)');
  const context = { source, flags, text };
  const before = process.threadCpuUsage();
  try {
    script.runInNewContext(context, { timeout: LIMIT_MS });
  } catch {
    return LIMIT_MS;
  }
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}

type Attack = { name: string; of: (length: number) => string };

/** A head that begins a match, a piece that is repeated, and an end that breaks the match. */
function* attacksOn(source: string, effort: Effort): Generator<Attack> {
  const literals = literalsOf(source).slice(0, effort.literals);
  const pumps = new Set([...literals, ...pairsOf(literals, effort.pairs), ...SAMPLES.slice(0, effort.samples)]);
  for (const head of ['', ...literals.slice(0, effort.heads)])
    for (const pump of pumps)
      for (const ending of ENDINGS.slice(0, effort.endings))
        yield {
          name: JSON.stringify(`${head}(${pump})…${ending}`),
          of: (length) => head + pump.repeat(Math.ceil(length / pump.length)) + ending,
        };
}

/** The literal words of an expression, and their characters. */
function literalsOf(source: string): string[] {
  const plain = source
    .replace(/\\[dDwWsSbBpP](\{[^}]*\})?/g, ' ')
    .replace(/\\u\{?([0-9a-f]{2,6})\}?|\\x([0-9a-f]{2})/gi, (_, long, short) =>
      String.fromCodePoint(Number.parseInt(long ?? short, 16) || 1),
    )
    .replace(/\(\?[:=!<][=!]?|\{\d+,?\d*\}/g, ' ')
    .replace(/\\(.)/g, '$1');
  const words = plain.split(/[\s()[\]|*+?^$]+/).filter((word) => word !== '');
  return [...new Set([...words, ...words.flatMap((word) => [...word])])];
}

function pairsOf(parts: string[], count: number): string[] {
  const few = [...parts.slice(0, count), 'a', ' '];
  if (count === 0) return [];
  return few.flatMap((first) => few.filter((second) => second !== first).map((second) => first + second));
}
