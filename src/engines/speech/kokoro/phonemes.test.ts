import { describe, expect, it } from 'vitest';
import { toKokoro } from './phonemes.ts';
import { splitMarks } from './pronounce.ts';
import { splitIds, TOKENS_MAX, toIds } from './vocabulary.ts';
import { kokoroVoices } from './voices.ts';

describe('phonemes', () => {
  it.each([
    ['en-US', 'h_ə_l_ˈoʊ', 'həlˈO'],
    ['en-US', 'dʒ_ˈʌ_dʒ_ᵻ_z', 'ʤˈʌʤᵻz'],
    ['en-US', 'w_ˈɜː_l_d', 'wˈɜɹld'],
    ['en-US', 'b_ˈʌ_ɾ_ɚ', 'bˈʌTəɹ'],
    ['en-US', 'l_ˈɪ_ɾ_əl', 'lˈɪTᵊl'],
    ['en-GB', 'n_ˈɜː_s k_ˈeə_z', 'nˈɜːs kˈɛːz'],
    ['en-GB', 'b_ˈəʊ_t', 'bˈQt'],
    ['fr-FR', 'b_ɔ̃_ʒ_ˈu_ʁ (en)_ð_ə_(fr)', 'bɔ̃ʒˈuʁ ðə'],
    ['it', 'tʃ_ˈa_o', 'ʧˈao'],
    ['ja', 'tɕ_ˈo̞_t_t_o̞', 'ʨˈotto'],
    ['cmn', 'm_ˈɑ2_ th_ˈiɛ5_n_', 'mˈɑ↓ tʰˈiɛ→n'],
  ])('of %s in the one notation become the other: %s', (language, espeak, kokoro) => {
    expect(toKokoro(espeak, language)).toBe(kokoro);
  });

  it('of two sounds that only look like a diphthong stay two', () => {
    expect(toKokoro('a_ɪ', 'it')).toBe('aɪ');
  });

  it('have the ids that the model was trained with, and what it does not know is left out', () => {
    expect(toIds(';:,.!?—…"()“” ')).toEqual([1, 2, 3, 4, 5, 6, 9, 10, 11, 12, 13, 14, 15, 16]);
    expect(toIds('\u0303ʣᵝꭧAIOQSTWYᵊa')).toEqual([17, 18, 22, 23, 24, 25, 31, 33, 35, 36, 39, 41, 42, 43]);
    expect(toIds('fhzæβçðəɜɡɪŋθœɹɾʁʧʊʌʒˈːʰʲ↓→↘ᵻ')).toEqual([
      48, 50, 68, 72, 75, 78, 81, 83, 87, 92, 102, 112, 119, 120, 123, 125, 128, 133, 135, 138, 147, 156, 158, 162, 164,
      169, 171, 173, 177,
    ]);
    expect(toIds('g7-')).toEqual([]);
  });
});

describe('a sequence that is too long for the model', () => {
  it('is cut between words, and loses nothing', () => {
    const sequence = toIds('wˈɜɹd '.repeat(200));
    const pieces = [...splitIds(sequence)];
    expect(pieces.flat()).toEqual(sequence);
    expect(pieces.every((piece) => piece.length <= TOKENS_MAX)).toBe(true);
    expect(pieces.slice(0, -1).every((piece) => piece.at(-1) === 16)).toBe(true);
  });

  it('without words is cut anywhere', () => {
    expect([...splitIds(toIds('a'.repeat(1100)))].map((piece) => piece.length)).toEqual([510, 510, 80]);
    expect([...splitIds([])]).toEqual([]);
  });
});

describe('marks', () => {
  it('are kept with the words before them, and those inside a number or a word stay there', () => {
    expect(splitMarks('"Yes," he said (twice): 1,234.5 isn\'t much!')).toEqual([
      { words: '', marks: ' "' },
      { words: 'Yes', marks: '," ' },
      { words: 'he said', marks: ' (' },
      { words: 'twice', marks: '): ' },
      { words: "1,234.5 isn't much", marks: '! ' },
    ]);
    expect(splitMarks('你好，世界。')).toEqual([
      { words: '你好', marks: ', ' },
      { words: '世界', marks: '. ' },
    ]);
  });
});

describe('the voices', () => {
  it('are 54 in nine languages, each with a gender', () => {
    expect(kokoroVoices).toHaveLength(54);
    expect(new Set(kokoroVoices.flatMap(({ languages }) => languages)).size).toBe(9);
    expect(kokoroVoices.find(({ slug }) => slug === 'bm_george')).toMatchObject({
      name: 'George',
      languages: ['en-GB'],
      gender: 'male',
    });
  });
});
