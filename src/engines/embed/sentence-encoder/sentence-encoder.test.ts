import { readFileSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { inFull } from '../../../../test/support/in-full.ts';
import { createLog } from '../../../kit/base/log.ts';
import { multilingualWeightsForTests } from '../../weights/weights-for-tests.ts';
import { createEmbedEngine } from '../engine.ts';
import { WINDOW_TOKENS } from '../plan-batches.ts';
import { readSentencepiece } from '../unigram/read-sentencepiece.ts';
import { createUnigramTokenizer } from '../unigram/unigram-tokenizer.ts';
import { knownVectors } from './known-vectors-for-tests.ts';

const weights = await multilingualWeightsForTests();
const [modelFile = '', tokenizerFile = ''] = weights?.files ?? [];
const never = new AbortController().signal;

function cosine(a: ArrayLike<number>, b: ArrayLike<number>): number {
  const dot = (x: ArrayLike<number>, y: ArrayLike<number>) =>
    Array.from(x).reduce((sum, value, i) => sum + value * (y[i] ?? 0), 0);
  return dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b));
}

describe.skipIf(!weights)('the multilingual sentence encoder', () => {
  const engine = createEmbedEngine({ modelFile, tokenizerFile, threads: 1, isLazy: true, log: createLog('silent') });
  afterAll(() => engine.close());
  const embed = async (...texts: string[]) => (await engine.embed(texts, never)).vectors;

  it('takes no process before the first request, and says that it is ready', () => {
    expect([engine.pid(), engine.state()]).toEqual([undefined, { kind: 'ready' }]);
  });

  inFull.it(
    'gives the vectors that NumPy computes, in sixteen languages, for nothing at all and for odd characters',
    async () => {
      const vectors = await embed(...knownVectors.map(([text]) => text));
      const cosines = knownVectors.map(([text, , known], i) => ({
        text,
        cosine: cosine(vectors[i]!, new Int8Array(Buffer.from(known, 'base64'))),
      }));
      expect(cosines.filter((row) => !(row.cosine > 0.999))).toEqual([]);
      expect(vectors[0]).toHaveLength(512);
    },
  );

  it('puts a question nearest to its answer in another language', async () => {
    const answers = [
      'Employees have twenty-eight days of paid holiday a year.',
      'The warehouse opens at six in the morning.',
      'Reset your password on the sign-in page.',
    ];
    const questions = [
      'Wie viele Urlaubstage habe ich?',
      '倉庫は何時に開きますか？',
      'Comment changer mon mot de passe ?',
    ];
    const vectors = await embed(...answers, ...questions);
    const nearest = questions.map((_, i) => {
      const scores = answers.map((_answer, j) => cosine(vectors[answers.length + i]!, vectors[j]!));
      return scores.indexOf(Math.max(...scores));
    });
    expect(nearest).toEqual([0, 1, 2]);
  });

  it('gives the same text the same vector, alone or among others, and counts its tokens with their marks', async () => {
    const text = 'Le même texte.';
    const [alone] = await embed(text);
    const [, among] = await embed('一つ目', text, 'Another one of a different length, so that nothing lines up.');
    expect(cosine(alone!, among!)).toBeGreaterThan(0.9999);
    const [known = ['', []]] = knownVectors;
    expect(await engine.countTokens([known[0], ''], never)).toEqual([known[1].length + 2, 2]);
  });

  it('embeds a long text in windows and averages them by their tokens', async () => {
    const tokens = (text: string) => engine.countTokens([text], never).then(([count = 0]) => count);
    const inner = WINDOW_TOKENS - 2;
    const [head, tail] = [Array(inner).fill('de').join(' '), Array(60).fill('der').join(' ')];
    expect(await tokens(head)).toBe(WINDOW_TOKENS);
    const [whole, first, second] = await embed(`${head} ${tail}`, head, tail);
    const mean = first!.map((value, i) => value * WINDOW_TOKENS + second![i]! * 62);
    expect(cosine(whole!, mean)).toBeGreaterThan(0.9999);
  });
});

describe.skipIf(!weights)('its tokenizer', () => {
  const tokenizer = () => createUnigramTokenizer(readSentencepiece(readFileSync(tokenizerFile)));

  it('gives the ids of SentencePiece', () => {
    const { encode } = tokenizer();
    expect(knownVectors.map(([text]) => encode(text))).toEqual(knownVectors.map(([, ids]) => ids));
  });

  inFull.it('takes half of a surrogate pair for damage, and a million characters in proportion', () => {
    const { encode } = tokenizer();
    expect(encode('a\ud800b')).toEqual(encode('a\ufffdb'));
    expect(encode('x'.repeat(1_000_000)).length).toBeGreaterThan(100_000);
    expect(encode('naïve 中文 42 '.repeat(50_000)).length).toBeGreaterThan(100_000);
  });
});

describe('a file of another kind', () => {
  it.each([
    ['nothing', Buffer.alloc(0)],
    ['a text', Buffer.from('This is no SentencePiece model.')],
    ['a number that does not end', Buffer.from([0x08, 0xff])],
  ])('%s is refused', (_, file) => {
    expect(() => readSentencepiece(file)).toThrow();
  });
});
