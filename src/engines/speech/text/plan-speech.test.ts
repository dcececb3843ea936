import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countCpuMs } from '../../../../test/support/cpu-time.ts';
import { rounds } from '../../../../test/support/rounds.ts';
import { planSpeech } from './plan-speech.ts';
import { splitSentences } from './split-sentences.ts';

const LENGTHS = { longest: 280, longestFirst: 120 };
const plan = (text: string, language = 'en-US') => [...planSpeech(text, language, LENGTHS)];
/** What is said, piece by piece. */
const said = (text: string, language?: string) =>
  plan(text, language).map((runs) => runs.map((run) => run.text).join(''));

describe('a text', () => {
  it('is said sentence by sentence', () => {
    expect(said('The first one is here. Is this the second one? What a third one it is! The last has no end')).toEqual([
      'The first one is here.',
      'Is this the second one?',
      'What a third one it is!',
      'The last has no end',
    ]);
  });

  it.each([
    ['a title', 'I have met Dr. Smith and Mrs. Jones there.', 'I have met doctor Smith and missis Jones there.'],
    ['an abbreviation', 'Bring fruit, e.g. apples, pears, etc.', 'Bring fruit, for example apples, pears, et cetera'],
    ['initials', 'It was J. R. R. Tolkien who wrote it.', 'It was J. R. R. Tolkien who wrote it.'],
    ['a decimal number', 'It weighs 3.5 kilos in all.', 'It weighs 3.5 kilos in all.'],
    ['the number of an item', '1. Open the door slowly.', '1. Open the door slowly.'],
  ])('is not cut at the full stop of %s', (_, text, expected) => {
    expect(said(text)).toEqual([expected]);
  });

  it.each([
    ['$1,234.56', '1,234 dollars and 56 cents'],
    ['£1.01', '1 pound and 1 penny'],
    ['€5', '5 euros'],
    ['$2.5 million', '2.5 million dollars'],
    ['2024-05-03', 'May 3, 20 24'],
    ['in 1984', 'in 19 84'],
    ['in 1905', 'in 19 oh 5'],
    ['by 1900', 'by 19 hundred'],
    ['in 2005', 'in 2005'],
    ['the 1990s', 'the 19 nineties'],
    ['10:05', '10 oh 5'],
    ['7:00', "7 o'clock"],
    ['pages 10-20', 'pages 10 to 20'],
    ['call 555-1234', 'call 555-1234'],
    ['No. 5', 'number 5'],
    ['https://www.example.com/a/b?c=1#d', 'example dot com'],
    ['me@example.org', 'me at example dot org'],
    ['**bold** and `code`', 'bold and code'],
  ])('reads %s as "%s" in English', (text, expected) => {
    expect(said(text)).toEqual([expected]);
  });

  it('reads addresses in the words of its language, and leaves numbers to the voice', () => {
    expect(said('Voir www.exemple.fr pour 12,50 €.', 'fr-FR')).toEqual(['Voir exemple point fr pour 12,50 €.']);
  });

  it('loses emoji, control characters, ornaments and halves of characters', () => {
    expect(said('Well\u0007 done \u{1f389}\u{1f468}‍\u{1f469}‍\u{1f467}!!! ===== \ud800 Go on\u200b now.')).toEqual([
      'Well done!',
      'Go on now.',
    ]);
  });

  it.each([
    ['white space', ' \n\t\u00a0\u3000 '],
    ['emoji', '\u{1f600}\u{1f1eb}\u{1f1f7}❤️'],
    ['punctuation', '... ?! --- "…"'],
    ['control characters', '\u0000\u0001\u200b\ufeff'],
    ['nothing', ''],
  ])('with %s alone has nothing to say', (_, text) => {
    expect(plan(text)).toEqual([]);
  });

  it('is read in the language of its letters', () => {
    const languages = (text: string, language: string) =>
      plan(text, language)
        .flat()
        .map((run) => run.language);
    expect(plan('He said Привет, мир, and left.')).toEqual([
      [
        { text: 'He said ', language: 'en-US' },
        { text: 'Привет, мир, ', language: 'ru' },
        { text: 'and left.', language: 'en-US' },
      ],
    ]);
    expect(languages('你好，世界。', 'en-US')).toEqual(['cmn']);
    expect(languages('東京へ行きます。', 'en-US')).toEqual(['ja']);
    expect(languages('東京 is big', 'ja')).toEqual(['ja']);
    expect(languages('Здравейте, как сте днес?', 'bg')).toEqual(['bg']);
    expect(languages('مرحبا بالعالم', 'fr-FR')).toEqual(['ar']);
  });

  it('of Chinese, Arabic or Hindi is cut at its own marks', () => {
    expect(said('今天天气很好我们去公园散步然后回家吃饭。明天我们再去海边看日出好不好呀？好的', 'cmn')).toHaveLength(3);
    expect(said('كيف حالك اليوم يا صديقي؟ أنا بخير والحمد لله.', 'ar')).toHaveLength(2);
    expect(said('आज मौसम बहुत अच्छा है। हम बाहर जाएंगे।', 'hi')).toHaveLength(2);
  });

  it('without punctuation is cut between words, without words anywhere', () => {
    const words = said('word '.repeat(300));
    expect(words.every((piece) => piece.length <= 280 && /^(word ?)+$/.test(piece))).toBe(true);
    const letters = said('a'.repeat(1000));
    expect(letters.map((piece) => piece.length)).toEqual([120, 280, 280, 280, 40]);
    expect(said('\u{20000}'.repeat(300), 'cmn').join('')).toBe('\u{20000}'.repeat(300));
  });

  it('begins with a shorter piece, for the sake of the first sound', () => {
    const [first = '', second = ''] = said(`${'some words, and more '.repeat(40)}.`);
    expect(first.length).toBeLessThanOrEqual(120);
    expect(first.endsWith(',')).toBe(true);
    expect(second.length).toBeGreaterThan(120);
  });

  it('of any kind is planned to its end, in pieces that fit', () => {
    const unit = fc.constantFrom(
      'a',
      'é',
      '.',
      ' ',
      '\n',
      '1',
      '$',
      ',',
      '-',
      ':',
      '@',
      'http://',
      '\u{1f600}',
      '\u200d',
      '\u0301',
      '中',
      'ش',
      '(',
      '\ud800',
      'Dr.',
    );
    const text = fc.oneof(fc.string({ unit, maxLength: 900 }), fc.string({ unit: 'binary', maxLength: 400 }));
    fc.assert(
      fc.property(text, fc.constantFrom('en-US', 'cmn', 'ar', 'xx-unknown'), (given, language) => {
        for (const runs of planSpeech(given, language, LENGTHS)) {
          expect(runs.length).toBeGreaterThan(0);
          for (const run of runs) expect(run.text).toMatch(/\S/);
        }
        for (const piece of splitSentences(given, LENGTHS)) expect(piece.length).toBeLessThanOrEqual(LENGTHS.longest);
        // Nothing but white space is lost between the pieces.
        const whole = [...splitSentences(given, LENGTHS)].join('').replace(/\s/g, '');
        expect(whole).toBe(given.replace(/\s/g, ''));
      }),
      { numRuns: rounds(100, 5000) },
    );
  });

  it.each([
    'The quick brown fox, e.g. Dr. Who, jumps 42 times. ',
    ' ',
    '!',
    'a',
    '. ',
    'a.',
    '\u0301',
    '(',
    'http://',
    'x@',
    '1-',
    '$1,',
    '\n',
    '\u{1f468}‍',
  ])('of a hundred thousand times %j is planned at once and a piece at a time', (unit) => {
    const text = unit.repeat(Math.ceil(100_000 / unit.length));
    const cpuMs = countCpuMs();
    let longest = 0;
    for (const runs of planSpeech(text, 'en-US', LENGTHS)) {
      longest = Math.max(longest, ...runs.map((run) => run.text.length));
    }
    expect(cpuMs()).toBeLessThan(2000);
    expect(longest).toBeLessThan(4 * LENGTHS.longest);
  });

  it('is read no further than it is asked for', () => {
    const pieces = planSpeech('One sentence is here. '.repeat(200_000), 'en-US', LENGTHS);
    const cpuMs = countCpuMs();
    expect(pieces.next().value).toHaveLength(1);
    expect(cpuMs()).toBeLessThan(1000);
  });
});
