import { LANGUAGES } from './languages.ts';
import { BLANK, END, FIRST_LANGUAGE, FIRST_TIME, NO_TIMES, SUPPRESSED, TIME_SECONDS } from './tokenizer.ts';

/** The first words are expected this soon: a window begins where speech does. */
const FIRST_TIME_MAX = FIRST_TIME + 1 / TIME_SECONDS;
const NEVER = Number.NEGATIVE_INFINITY;
/** Fifty thousand of such chances are less than a ten-thousandth. */
const NEGLIGIBLE = -20;

export type Chosen = { token: number; logprob: number };

/**
 * The next token by the rules of OpenAI's decoder: times come in pairs and never go back, a transcript begins with a time,
 * and a time is due when times together are likelier than any text. Tokens of `foreign` are never chosen.
 * Changes `logits`.
 */
export function chooseToken(
  logits: Float32Array,
  written: readonly number[],
  temperature: number,
  lastTime: number,
  random: () => number,
  foreign: readonly number[] = [],
): Chosen {
  for (const token of SUPPRESSED) logits[token] = NEVER;
  for (const token of foreign) logits[token] = NEVER;
  logits[NO_TIMES] = NEVER;
  logits.fill(NEVER, FIRST_LANGUAGE, FIRST_LANGUAGE + LANGUAGES.length);
  logits.fill(NEVER, lastTime + 1);
  if (written.length === 0) {
    logits[BLANK] = logits[END] = NEVER;
    logits.fill(NEVER, 0, FIRST_TIME);
    logits.fill(NEVER, FIRST_TIME_MAX + 1);
  } else keepTimesInOrder(logits, written);
  const text = topOf(logits, 0, FIRST_TIME);
  const time = topOf(logits, FIRST_TIME);
  const highest = Math.max(logits[text] as number, logits[time] as number);
  const times = sumOf(logits, FIRST_TIME, logits.length, highest);
  const isTimeDue = Math.log(times) > (logits[text] as number) - highest;
  const whole = isTimeDue ? times : times + sumOf(logits, 0, FIRST_TIME, highest);
  if (isTimeDue && temperature > 0) logits.fill(NEVER, 0, FIRST_TIME);
  const token = temperature > 0 ? draw(logits, temperature, random) : isTimeDue ? time : text;
  return { token, logprob: (logits[token] as number) - highest - Math.log(whole) };
}

function keepTimesInOrder(logits: Float32Array, written: readonly number[]): void {
  const isTime = (token: number | undefined) => token !== undefined && token >= FIRST_TIME;
  const [last, previous] = [written.at(-1), written.at(-2)];
  if (isTime(last)) {
    if (written.length < 2 || isTime(previous)) logits.fill(NEVER, FIRST_TIME);
    else logits.fill(NEVER, 0, END);
  }
  const latest = written.findLast((token) => token >= FIRST_TIME);
  if (latest === undefined) return;
  const allowed = isTime(last) && !isTime(previous) ? latest : latest + 1;
  logits.fill(NEVER, FIRST_TIME, Math.max(FIRST_TIME, allowed));
}

/** Of the exponentials, below the highest so that none overflows. What is far below adds nothing, and is most of them. */
function sumOf(logits: Float32Array, from: number, to: number, highest: number): number {
  let sum = 0;
  for (let i = from; i < to; i++) {
    const below = (logits[i] as number) - highest;
    if (below > NEGLIGIBLE) sum += Math.exp(below);
  }
  return sum;
}

export function topOf(logits: Float32Array, from = 0, to = logits.length): number {
  let best = from;
  let highest = logits[from] as number;
  for (let i = from + 1; i < to; i++) {
    const value = logits[i] as number;
    if (value > highest) [best, highest] = [i, value];
  }
  return best;
}

function draw(logits: Float32Array, temperature: number, random: () => number): number {
  const highest = logits[topOf(logits)] as number;
  const weightOf = (value: number) => (value > NEVER ? Math.exp((value - highest) / temperature) : 0);
  let whole = 0;
  for (const value of logits) whole += weightOf(value);
  let left = random() * whole;
  for (let i = 0; i < logits.length; i++) {
    left -= weightOf(logits[i] as number);
    if (left < 0) return i;
  }
  return END;
}

/** The chance of one token among all of a range. */
export function chanceOf(logits: Float32Array, token: number, from = 0, to = logits.length): number {
  const highest = logits[topOf(logits, from, to)] as number;
  return Math.exp((logits[token] as number) - highest) / sumOf(logits, from, to, highest);
}
