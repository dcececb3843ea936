import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { countCpuMs } from '../../../test/support/cpu-time.ts';
import { embeddingWeightsForTests } from '../weights/weights-for-tests.ts';
import { knownIds } from './known-ids-for-tests.ts';
import { createTokenizer, type Tokenizer } from './tokenizer.ts';

const weights = await embeddingWeightsForTests();

describe.skipIf(!weights)('with the real vocabulary', () => {
  let made: Tokenizer | undefined;
  const tokenizer = () => {
    made ??= createTokenizer(readFileSync(weights?.files[1] ?? '', 'utf8'));
    return made;
  };

  it.each(knownIds)('%j has the ids that the Python library gives it', (text, ids) => {
    const { beginId, endId, encode } = tokenizer();
    expect([beginId, ...encode(text), endId]).toEqual(ids);
  });

  it('half of a surrogate pair is dropped like other damage', () => {
    expect(tokenizer().encode('a\ud800b')).toEqual(tokenizer().encode('ab'));
  });

  it('a million characters take time in proportion', () => {
    const text = 'the quick brown fox, naïve as ever, jumps 42 times over 中文. '.repeat(18_000);
    const cpuMs = countCpuMs();
    expect(tokenizer().encode(text).length).toBeGreaterThan(200_000);
    expect(cpuMs()).toBeLessThan(6000);
  });

  it('one endless word is unknown, and quickly so', () => {
    expect(tokenizer().encode('ab'.repeat(500_000))).toEqual([100]);
  });
});

describe('a tokenizer file', () => {
  it('of another family is refused', () => {
    expect(() => createTokenizer('{"model":{"type":"BPE","vocab":{}}}')).toThrow();
  });
});
