import fc from 'fast-check';
import { getLlama, LlamaLogLevel } from 'node-llama-cpp';
import { expect, test } from 'vitest';
import { rounds } from '../../../../../test/support/rounds.ts';
import type { JsonSchema } from '../../../engine.ts';
import { schemaToGrammar } from '../json-schema.ts';
import { createRules } from '../rules.ts';
import { createBuilder, TooExpensive } from './expression.ts';
import { areApart, createLookAhead } from './look-ahead.ts';
import { makeOneWay } from './make-one-way.ts';
import { readGbnf } from './read-gbnf.ts';

const llama = await getLlama({ build: 'never', skipDownload: true, gpu: false, logLevel: LlamaLogLevel.disabled });

async function judge(grammar: string): Promise<(text: string) => boolean> {
  const compiled = await llama.createGrammar({ grammar });
  return (text) => (compiled as unknown as { _testText(text: string): boolean })._testText(text);
}

function grammarOf(schema: JsonSchema): string {
  const rules = createRules();
  return rules.print(schemaToGrammar(rules, schema));
}

const pattern = (text: string): JsonSchema => ({ type: 'string', pattern: text });
const object = (properties: JsonSchema) => ({ type: 'object', properties, required: Object.keys(properties) });

/** Every choice in the grammar is decided by the next character. */
function isOneWay(text: string): boolean {
  const rules = readGbnf(text, createBuilder(1_000_000));
  const ahead = createLookAhead(rules);
  return [...rules].every(([name, body]) => {
    if (body.kind !== 'either') return true;
    const options = body.options.map(ahead.of);
    const follows = options.some(({ isNullable }) => isNullable);
    return areApart(follows ? [...options, { first: ahead.after(name), isNullable: false }] : options);
  });
}

/** Schemas whose number of ways doubles or multiplies with each character. */
const FAMILIES: [name: string, schema: JsonSchema][] = [
  ['nullable repetitions', pattern('(a?){500}'.repeat(12))],
  ['nested repetitions', pattern('((a*)*)*b')],
  ['equal alternatives', pattern('(a|a|aa)*')],
  ['words that begin alike', pattern('((the|then|they|them)( )?){1,40}')],
  ['parts between anything', pattern('.*a.*b.*c.*d.*')],
  ['a counted tail', pattern('^.{10,100}[.]$')],
  [
    'unions that double at each level',
    {
      $ref: '#/$defs/L0',
      $defs: Object.fromEntries(
        Array.from({ length: 20 }, (_, i) => {
          const next = i === 19 ? { type: 'string' } : { $ref: `#/$defs/L${i + 1}` };
          return [`L${i}`, { anyOf: ['x', 'y'].map((name) => object({ k: next, [name]: { const: 1 } })) }];
        }),
      ),
    },
  ],
  [
    'unions that hold themselves',
    {
      $ref: '#/$defs/N',
      $defs: {
        N: {
          anyOf: [...['a', 'b', 'c'].map((n) => object({ k: { $ref: '#/$defs/N' }, [n]: {} })), { type: 'null' }],
        },
      },
    },
  ],
  [
    'hundreds of optional properties',
    { properties: Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`p${i}`, {}])) },
  ],
  ['a long enum', { enum: Array.from({ length: 1000 }, (_, i) => `value ${i * 7919}`) }],
  [
    'overlapping ranges',
    { anyOf: [1, 2, 3, 4, 5].map((n) => ({ type: 'integer', minimum: n * 37, maximum: n * 1237 })) },
  ],
];

test.each(FAMILIES)('the grammar of %s has one way to go on for each character', async (_, schema) => {
  const text = makeOneWay(grammarOf(schema));
  expect(isOneWay(text)).toBe(true);
  // llama.cpp parses it.
  expect(await judge(text)).toBeTypeOf('function');
});

const REFUSED: [name: string, schema: JsonSchema][] = [
  ['repetitions that overlap', pattern('([ab]?){500}([bc]?){500}')],
  ['a choice that is decided much later', pattern('(a|b)*a(a|b){14}')],
  ['repetitions within repetitions', pattern('(((a?b?){20}c?){20}d?){20}')],
  [
    'alternatives that differ in their length',
    { anyOf: Array.from({ length: 200 }, (_, i) => ({ type: 'string', maxLength: i })) },
  ],
  [
    'thousands of characters that may come next',
    { enum: Array.from({ length: 2000 }, (_, i) => String.fromCodePoint(0x4e00 + 2 * i)) },
  ],
  [
    'classes of many characters in a row',
    pattern(
      Array.from(
        { length: 80 },
        (_, i) => `[${[0, 2, 4, 6, 8].map((n) => String.fromCodePoint(0x4e00 + 10 * i + n)).join('')}]?`,
      ).join(''),
    ),
  ],
  [
    'references that unfold',
    {
      $ref: '#/$defs/L0',
      $defs: Object.fromEntries(
        Array.from({ length: 24 }, (_, i) => {
          const next = { $ref: `#/$defs/L${Math.min(i + 1, 23)}`, minItems: i };
          return [`L${i}`, { type: 'array', prefixItems: [next, next, next] }];
        }),
      ),
    },
  ],
];

test.each(REFUSED)('a schema with %s is refused within a bounded number of steps', (_, schema) => {
  expect(() => makeOneWay(grammarOf(schema))).toThrow(TooExpensive);
});

test('a rewritten grammar allows exactly the texts that it allowed before', async () => {
  const atom = fc.constantFrom('a', 'b', '[ab]', 'ab', '[^a]', 'c');
  const repeated = fc
    .tuple(atom, fc.constantFrom('', '?', '*', '+', '{2}', '{0,3}', '{1,}'))
    .map((parts) => parts.join(''));
  const sequence = fc.array(repeated, { minLength: 1, maxLength: 3 }).map((parts) => parts.join(''));
  const group = fc
    .tuple(fc.array(sequence, { minLength: 1, maxLength: 3 }), fc.constantFrom('', '?', '*', '{0,2}'))
    .map(([options, suffix]) => `(${options.join('|')})${suffix}`);
  const patterns = fc.array(fc.oneof(repeated, group), { minLength: 1, maxLength: 3 }).map((parts) => parts.join(''));
  const texts = fc.array(fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 6 }), {
    minLength: 12,
    maxLength: 12,
  });
  const property = fc.asyncProperty(patterns, texts, async (source, samples) => {
    const before = grammarOf(pattern(source));
    const after = makeOneWay(before);
    expect(isOneWay(after)).toBe(true);
    const [old, now] = await Promise.all([judge(before), judge(after)]);
    for (const sample of samples) expect(now(`"${sample}"`), `${source} ${sample}`).toBe(old(`"${sample}"`));
  });
  await fc.assert(property, { numRuns: rounds(50, 2000) });
});
