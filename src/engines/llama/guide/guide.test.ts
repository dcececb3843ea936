import fc from 'fast-check';
import { getLlama, LlamaLogLevel } from 'node-llama-cpp';
import { expect, test } from 'vitest';
import { rounds } from '../../../../test/support/rounds.ts';
import type { JsonSchema } from '../../engine.ts';
import { answerGrammar, TAGGED_CALLS } from '../grammar/answer-grammar.ts';
import { makeOneWay } from '../grammar/one-way/make-one-way.ts';
import { createGuides } from './create-guide.ts';
import { createFollower } from './follow-grammar.ts';
import { createWordTree, type Word } from './word-tree.ts';

const llama = await getLlama({ build: 'never', skipDownload: true, gpu: false, logLevel: LlamaLogLevel.disabled });

function grammarOf(schema: JsonSchema): string {
  const format = { type: 'json_schema' as const, name: 'answer', schema, strict: true };
  return oneWay({ format, tools: [], toolChoice: 'none', parallelToolCalls: false });
}

function oneWay(request: Parameters<typeof answerGrammar>[0]): string {
  return makeOneWay(answerGrammar(request, TAGGED_CALLS) ?? '');
}

const closed = (properties: Record<string, JsonSchema>, required = Object.keys(properties)): JsonSchema => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});

const ORDER = closed({ city: { type: 'string' }, unit: { enum: ['celsius', 'kelvin'] }, days: { type: 'integer' } });
const SCHEMAS: [name: string, schema: JsonSchema, examples: unknown[]][] = [
  ['an object', ORDER, [{ city: 'Porto "é"', unit: 'kelvin', days: -12 }]],
  [
    'optional keys',
    closed({ a: { type: 'null' }, b: { type: 'boolean' } }, ['b']),
    [{ a: null, b: true }, { b: false }],
  ],
  ['numbers in a range', { type: 'integer', minimum: 3, maximum: 120 }, [3, 7, 42, 120, 121]],
  ['counted items', { type: 'array', items: { enum: ['x', 'xy'] }, minItems: 1, maxItems: 3 }, [['x', 'xy', 'x'], []]],
  ['a pattern', { type: 'string', pattern: '^[a-c]{2,4}-?x$' }, ['abc-x', 'aax', 'ax']],
  ['anything', {}, [{ a: [1, 2.5e3, 'ü'] }, 'text', null]],
];

test.each(SCHEMAS)('a grammar of %s is followed as llama.cpp follows it', async (_, schema, examples) => {
  const gbnf = grammarOf(schema);
  const compiled = await llama.createGrammar({ grammar: gbnf });
  const judge = (text: string) => (compiled as unknown as { _testText(text: string): boolean })._testText(text);
  const follower = createFollower(gbnf);
  const follows = (text: string): boolean => {
    let place = follower.start;
    for (const character of text) {
      const after = follower.advance(place, character.codePointAt(0) ?? 0);
      if (after === 'none') return false;
      place = after;
    }
    return follower.next(place).mayEnd;
  };
  const texts = examples.map((example) => JSON.stringify(example));
  expect(texts.some(follows)).toBe(true);
  for (const text of texts) expect([text, follows(text)]).toEqual([text, judge(text)]);
  const edited = fc.record({
    text: fc.constantFrom(...texts),
    at: fc.nat(40),
    removed: fc.nat(2),
    added: fc.string({ unit: fc.constantFrom(...'{}[]",:ax0129-. é\n'), maxLength: 2 }),
  });
  fc.assert(
    fc.property(edited, ({ text, at, removed, added }) => {
      const changed = text.slice(0, at) + added + text.slice(at + removed);
      expect([changed, follows(changed)]).toEqual([changed, judge(changed)]);
    }),
    { numRuns: rounds(150, 2000) },
  );
});

/** A vocabulary of whole words, and of the two bytes of `é`. */
const TEXTS = [
  '{',
  '}',
  '"',
  '{"',
  'city',
  '":"',
  '":',
  'unit',
  ',"',
  'c',
  'cel',
  'sius',
  'kelvin',
  '"k',
  'é',
  ' ',
  '1',
];
const HALVES = [0xc3, 0xa9];
const END = TEXTS.length + HALVES.length;
const wordOf = (token: number): Word | undefined => {
  const text = TEXTS[token];
  if (text !== undefined) return { text, bytes: [] };
  const byte = HALVES[token - TEXTS.length];
  return byte === undefined ? undefined : { text: '', bytes: [byte] };
};
const words = createWordTree(
  Array.from({ length: END + 1 }, (_, token) => token),
  wordOf,
);
/** The longest word first. */
const tokenize = (text: string): number[] => {
  const fitting = TEXTS.filter((word) => text.startsWith(word)).sort((a, b) => b.length - a.length)[0];
  return fitting === undefined ? [] : [TEXTS.indexOf(fitting), ...tokenize(text.slice(fitting.length))];
};
const guideOf = createGuides({ words, tokenize, isEnd: (token) => token === END, endTokens: [END] });
const show = (tokens: number[] | undefined) => tokens?.map((token) => TEXTS[token] ?? token).sort();

function guideAfter(gbnf: string, ...texts: string[]) {
  const guide = guideOf(gbnf);
  if (!guide) throw new Error('no guide');
  for (const text of texts) guide.accept(TEXTS.indexOf(text));
  return guide;
}

test('where few words fit they are named, and where a grammar leaves one text it is foreseen', () => {
  const gbnf = grammarOf(closed({ city: { type: 'string' }, unit: { enum: ['celsius', 'cel'] } }));
  expect(show(guideAfter(gbnf).allowed())).toEqual(['{', '{"']);
  expect(show(guideAfter(gbnf).foresee())).toEqual(['":"', 'city', '{"'].sort());
  // The same text in other words.
  expect(
    guideAfter(gbnf, '{', '"', 'city')
      .foresee()
      .map((token) => TEXTS[token]),
  ).toEqual(['":"']);
  const inString = guideAfter(gbnf, '{"', 'city', '":"', 'c');
  expect(inString.allowed()).toBeUndefined();
  expect(inString.foresee()).toEqual([]);
  const inEnum = guideAfter(gbnf, '{"', 'city', '":"', '"', ',"', 'unit', '":"', 'cel');
  expect(show(inEnum.allowed())).toEqual(['"', 'sius']);
  expect(show(guideAfter(gbnf, '{"', 'city', '":"', '"', ',"', 'unit', '":"', 'cel', '"', '}').allowed())).toEqual([
    END,
  ]);
});

test('a character in two tokens is followed, and a word that does not fit only ends the guidance', () => {
  const gbnf = grammarOf(closed({ city: { type: 'string', maxLength: 1 } }));
  const guide = guideAfter(gbnf, '{"', 'city', '":"');
  guide.accept(TEXTS.length);
  expect(guide.allowed()).toBeUndefined();
  guide.accept(TEXTS.length + 1);
  expect(show(guide.allowed())).toEqual(['"']);
  guide.accept(TEXTS.indexOf('kelvin'));
  expect([guide.allowed(), guide.foresee()]).toEqual([undefined, []]);
});

test('a tool call is foreseen up to the first argument that the model chooses', () => {
  const gbnf = oneWay({
    format: { type: 'text' },
    tools: [{ name: 'city', description: '', strict: true, parameters: ORDER }],
    toolChoice: 'any',
    parallelToolCalls: false,
  });
  const letters = createWordTree(
    Array.from({ length: 128 }, (_, code) => code),
    (code) => ({
      text: String.fromCharCode(code),
      bytes: [],
    }),
  );
  const guide = createGuides({
    words: letters,
    tokenize: (text) => [...text].map((letter) => letter.charCodeAt(0)),
    isEnd: () => false,
    endTokens: [],
  })(gbnf);
  expect(String.fromCharCode(...(guide?.foresee() ?? []))).toMatch(/^<tool_call>\n\{/);
});
