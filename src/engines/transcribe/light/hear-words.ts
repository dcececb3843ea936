import type { HeardWord } from '../protocol.ts';
import { SAMPLE_RATE } from '../transcription-engine.ts';
import type { LightModel } from './model.ts';
import type { LightTokenizer } from './tokenizer.ts';

/** Faster than anybody speaks; a model that repeats itself ends here. */
const TOKENS_PER_SECOND = 6.5;
const TOKENS_MIN = 4;
/** Of a shorter sound the model makes up a sentence. */
const SAMPLES_MIN = SAMPLE_RATE;
/** What the model believes less is noise. */
const LOGPROB_MIN = -1;

/** A word and its tokens, with which the next look begins. */
export type LightWord = HeardWord & { tokens: number[] };

/** The words after `known`, in a part of the audio that begins at `start` (samples) and is spoken up to `speechEnd`. */
export async function hearWords(
  model: LightModel,
  tokenizer: LightTokenizer,
  samples: Float32Array,
  known: readonly number[],
  { start, speechEnd }: { start: number; speechEnd: number },
): Promise<LightWord[]> {
  const tokensMax = Math.ceil((samples.length / SAMPLE_RATE) * TOKENS_PER_SECOND) + TOKENS_MIN - known.length;
  const { tokens, logprobs } = await model.write(lengthened(samples), known, Math.max(TOKENS_MIN, tokensMax));
  const average = logprobs.reduce((sum, logprob) => sum + logprob, 0) / logprobs.length;
  if (average < LOGPROB_MIN) return [];
  const groups = groupTokens(tokenizer, tokens);
  // The model knows no times: words share the time of the utterance by their letters.
  const letters = tokenizer.decode(known).length;
  const whole = letters + groups.reduce((sum, group) => sum + tokenizer.decode(group).length, 0);
  const timeOf = (letter: number) => (start + ((speechEnd - start) * letter) / Math.max(1, whole)) / SAMPLE_RATE;
  let [letter, place] = [letters, 0];
  return groups.map((group) => {
    const text = tokenizer.decode(group);
    const [from, at] = [letter, place];
    letter += text.length;
    place += group.length;
    const sum = logprobs.slice(at, place).reduce((total, logprob) => total + logprob, 0);
    return { text, tokens: group, start: timeOf(from), end: timeOf(letter), score: Math.exp(sum / group.length) };
  });
}

function groupTokens(tokenizer: LightTokenizer, tokens: readonly number[]): number[][] {
  const groups: number[][] = [];
  for (const token of tokens) {
    const last = groups.at(-1);
    if (last && !tokenizer.isWordStart(token)) last.push(token);
    else groups.push([token]);
  }
  return groups;
}

function lengthened(samples: Float32Array): Float32Array {
  if (samples.length >= SAMPLES_MIN) return samples;
  const longer = new Float32Array(SAMPLES_MIN);
  longer.set(samples);
  return longer;
}
