import { describe, expect, it } from 'vitest';
import { createLetters } from './letters.ts';
import { END, FIRST_TIME, type Tokenizer, VOCABULARY } from './tokenizer.ts';
import { type Begin, writeText } from './write-text.ts';

const never = new AbortController().signal;
/** Tokens 300 and up are these texts. */
const TEXTS = [' one', ' two', ' three', ' Today', ' it', ' rains', ' आज', ' बारिश', ' है'];
const [ONE, TWO, THREE, TODAY, IT, RAINS, AAJ, BARISH, HAI] = TEXTS.map((_, index) => 300 + index) as [
  ...[number, number, number, number, number, number, number, number, number],
];
const bytesOf = (token: number) => Buffer.from(TEXTS[token - 300] ?? '');
const tokenizer: Tokenizer = {
  bytesOf,
  decode: (tokens) => Buffer.concat(tokens.map(bytesOf)).toString(),
  encode: () => [],
  lettersOf: createLetters(bytesOf),
};

/** A model that wants to write these tokens one after the other, each of them rather than those behind it. */
function modelThat(wants: (written: number[]) => number[], { known = [] as number[], language = 'en' } = {}) {
  let written = [...known];
  const logits = () => {
    const values = new Float32Array(VOCABULARY).fill(-30);
    for (const [rank, token] of wants(written).entries()) values[token] = 10 - 10 * rank;
    return values;
  };
  const begin: Begin = {
    decoding: {
      async read([token = 0]) {
        written.push(token);
        const after = logits();
        return { logitsAfter: () => after, attention: undefined };
      },
      rewind: () => {
        written = [...known];
      },
    },
    ...{ language, known, logits, rows: [] },
  };
  return begin;
}

/** The next of these after what was written, then the end. */
const inOrder =
  (...tokens: number[]) =>
  (written: number[]) => [tokens[written.length] ?? END];
const write = (begin: Begin, seconds = 5, isDraft = false) =>
  writeText(begin, tokenizer, { temperature: 0, isDraft, seconds }, never);

describe('the text of a window', () => {
  it('goes on behind the tokens that are known', async () => {
    const known = [FIRST_TIME, ONE];
    const { tokens, logprobs } = await write(modelThat(inOrder(FIRST_TIME, ONE, TWO, THREE), { known }));
    expect(tokens).toEqual([FIRST_TIME, ONE, TWO, THREE]);
    expect(logprobs.slice(0, 2)).toEqual([0, 0]);
  });

  it('that finds no end has what it repeats once', async () => {
    const endless = modelThat((written) =>
      written.length === 0 ? [FIRST_TIME] : [[ONE, TWO][written.length % 2] ?? 0],
    );
    const { tokens } = await write(endless);
    expect(tokens).toEqual([FIRST_TIME, TWO, ONE]);
  });

  it('that somebody repeats, and that ends, stays whole', async () => {
    const again = Array.from({ length: 20 }, () => ONE);
    const { tokens } = await write(modelThat(inOrder(FIRST_TIME, ...again)));
    expect(tokens).toEqual([FIRST_TIME, ...again]);
  });

  it('of a language with letters of its own is written in them, where the model believes it', async () => {
    const translates = (written: number[]) => {
      const place = written.length - 1;
      return place < 0 ? [FIRST_TIME] : [[TODAY, IT, RAINS][place] ?? END, [AAJ, BARISH, HAI][place] ?? END];
    };
    const textIn = async (language: string, isDraft = false) =>
      tokenizer.decode((await write(modelThat(translates, { language }), 5, isDraft)).tokens);
    expect(await textIn('hi')).toBe(' आज बारिश है');
    expect(await textIn('en')).toBe(' Today it rains');
    expect(await textIn('hi', true)).toBe(' Today it rains');
    const english = modelThat(inOrder(FIRST_TIME, TODAY, IT, RAINS), { language: 'hi' });
    expect(tokenizer.decode((await write(english)).tokens)).toBe(' Today it rains');
  });
});
