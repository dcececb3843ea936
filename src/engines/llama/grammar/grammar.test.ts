import { getLlama, type LlamaGrammar, LlamaLogLevel } from 'node-llama-cpp';
import { expect, test } from 'vitest';
import type { ChatRequest, EngineTool, JsonSchema } from '../../engine.ts';
import { answerGrammar, TAGGED_CALLS } from './answer-grammar.ts';
import { schemaToGrammar } from './json-schema.ts';
import { makeOneWay } from './one-way/make-one-way.ts';
import { createRules } from './rules.ts';

// The native parser judges; it needs no weights.
const llama = await getLlama({ build: 'never', skipDownload: true, gpu: false, logLevel: LlamaLogLevel.disabled });

async function accepts(grammar: string, text: string): Promise<boolean> {
  const compiled: LlamaGrammar = await llama.createGrammar({ grammar: makeOneWay(grammar) });
  return (compiled as unknown as { _testText(text: string): boolean })._testText(text);
}

function grammarOf(schema: JsonSchema): string {
  const rules = createRules();
  return rules.print(schemaToGrammar(rules, schema));
}

const NODE = {
  $ref: '#/$defs/Node',
  $defs: {
    Node: {
      type: 'object',
      properties: { value: { type: 'integer' }, next: { anyOf: [{ $ref: '#/$defs/Node' }, { type: 'null' }] } },
      required: ['value', 'next'],
    },
  },
};

const cases: [name: string, schema: JsonSchema, good: unknown[], bad: unknown[]][] = [
  ['enum and const', { enum: ['a "quoted"', 2, null] }, ['a "quoted"', 2, null], ['b', 3]],
  ['const object', { const: { a: [1, 'x'] } }, [{ a: [1, 'x'] }], [{ a: [1] }]],
  [
    'optional properties in order',
    { type: 'object', properties: { a: { type: 'boolean' }, b: { type: 'null' }, c: { const: 1 } }, required: ['b'] },
    [{ b: null }, { a: true, b: null }, { b: null, c: 1 }, { a: false, b: null, c: 1 }],
    [{}, { a: true }, { a: 1, b: null }, { b: null, d: 1 }],
  ],
  [
    'only optional properties',
    { properties: { a: { const: 1 }, b: { const: 2 } } },
    [{}, { a: 1 }, { b: 2 }, { a: 1, b: 2 }],
    [{ c: 1 }],
  ],
  [
    'integers in a range',
    { type: 'integer', minimum: -12, maximum: 305 },
    [-12, -1, 0, 9, 99, 100, 305],
    [-13, 306, 1000, 1.5],
  ],
  ['an exclusive range', { type: 'integer', exclusiveMinimum: 0, exclusiveMaximum: 10 }, [1, 9], [0, 10, -1]],
  ['at least', { type: 'integer', minimum: 18 }, [18, 19, 20, 100, 12345], [17, 1, 0, -20]],
  ['at most', { type: 'integer', maximum: -3 }, [-3, -4, -100], [-2, 0, 3]],
  ['multiples', { type: 'integer', minimum: 0, maximum: 100, multipleOf: 25 }, [0, 25, 100], [10, 125]],
  ['numbers in a range', { type: 'number', minimum: 0, maximum: 1 }, [0, 0.25, 1], [-0.5, 1.5, 2]],
  ['numbers between integers', { type: 'number', exclusiveMinimum: 0.1, maximum: 0.4 }, [0.2, 0.4], [0.1, 0.5, 0, 1]],
  ['numbers around zero', { type: 'number', minimum: -2.5, maximum: 2.5 }, [-2, -1.5, 0, 1.75, 2], [3, -3, 2.75]],
  ['lengths', { type: 'string', minLength: 2, maxLength: 3 }, ['ab', 'äöü', 'a"b'], ['a', 'abcd']],
  [
    'a pattern',
    { type: 'string', pattern: '^(?:[A-Z]{2}-\\d{3,}|x\\.y?)$' },
    ['AB-123', 'AB-12345', 'x.', 'x.y'],
    ['AB-12', 'xxy', ''],
  ],
  ['a pattern with quotes', { type: 'string', pattern: '^"[^a]+"$' }, ['"b"'], ['"a"', 'b']],
  ['a date', { type: 'string', format: 'date' }, ['2024-02-28'], ['2024-13-01', 'today']],
  [
    'array bounds',
    { type: 'array', items: { type: 'integer' }, minItems: 1, maxItems: 3 },
    [[1], [1, 2, 3]],
    [[], [1, 2, 3, 4], ['a']],
  ],
  ['an empty array', { type: 'array', maxItems: 0 }, [[]], [[1]]],
  ['a tuple', { type: 'array', prefixItems: [{ const: 1 }, { const: 'a' }], items: false }, [[1, 'a']], [['a', 1]]],
  ['several types', { type: ['string', 'null'] }, ['x', null], [1]],
  [
    'anyOf beside properties',
    { type: 'object', properties: { k: { enum: ['a', 'b'] } }, anyOf: [{ required: ['k'] }] },
    [{ k: 'a' }],
    [{}],
  ],
  [
    'allOf',
    {
      allOf: [
        { type: 'object', properties: { a: { const: 1 } }, required: ['a'] },
        { properties: { b: { const: 2 } }, required: ['b'] },
      ],
    },
    [{ a: 1, b: 2 }],
    [{ a: 1 }],
  ],
  ['recursion', NODE, [{ value: 1, next: { value: 2, next: null } }], [{ value: 1 }, { value: 1, next: 2 }]],
  ['a map', { type: 'object', additionalProperties: { type: 'integer' } }, [{}, { a: 1, b: 2 }], [{ a: 'x' }]],
  ['a required property without a schema', { type: 'object', required: ['x'] }, [{ x: [1, { y: null }] }], [{}]],
  ['anything', {}, [1, 'x', [null, { a: [true, -1.5] }]], []],
];

test.each(cases)('the grammar of %s', async (_, schema, good, bad) => {
  const grammar = grammarOf(schema);
  for (const value of good) expect(await accepts(grammar, JSON.stringify(value)), JSON.stringify(value)).toBe(true);
  for (const value of bad) expect(await accepts(grammar, JSON.stringify(value)), JSON.stringify(value)).toBe(false);
});

test('a schema that unfolds into itself has a grammar all the same', async () => {
  const schema = { $defs: { A: { type: 'array', items: { $ref: '#/$defs/A', minItems: 1 } } }, $ref: '#/$defs/A' };
  expect(await accepts(grammarOf(schema), '[[[]]]')).toBe(true);
});

const tool = (name: string, properties: JsonSchema): EngineTool => ({
  name,
  description: '',
  strict: false,
  parameters: { type: 'object', properties, required: Object.keys(properties) },
});

function request(changes: Partial<ChatRequest>): ChatRequest {
  return {
    messages: [],
    tools: [tool('weather', { city: { type: 'string' } }), tool('ping', {})],
    toolChoice: 'auto',
    parallelToolCalls: true,
    format: { type: 'text' },
    choices: 1,
    stop: [],
    ...changes,
  };
}

const WEATHER = '<tool_call>\n{"name": "weather", "arguments": {"city": "Paris"}}\n</tool_call>';
const PING = '<tool_call>\n{"name": "ping", "arguments": {}}\n</tool_call>';

async function allows(changes: Partial<ChatRequest>, text: string): Promise<boolean> {
  return accepts(answerGrammar(request(changes), TAGGED_CALLS) ?? '', text);
}

test('with auto the answer is text, calls, or text and then calls', async () => {
  for (const text of ['It is <b>warm</b>, <tool> too.', WEATHER, `${WEATHER}\n${PING}`, `Let me see.\n${WEATHER}`]) {
    expect(await allows({}, text), text).toBe(true);
  }
  expect(await allows({}, '{"name": "ping", "arguments": {}}')).toBe(true);
  for (const text of [
    '<tool_call>\n{"name": "other", "arguments": {}}\n</tool_call>',
    'So: <tool_call>hello',
    '{"a": 1}',
  ]) {
    expect(await allows({}, text), text).toBe(false);
  }
});

test('with any there is a call and nothing else, with a name just that one', async () => {
  expect(await allows({ toolChoice: 'any' }, PING)).toBe(true);
  expect(await allows({ toolChoice: 'any' }, 'text')).toBe(false);
  expect(await allows({ toolChoice: { name: 'weather' } }, PING)).toBe(false);
  expect(await allows({ toolChoice: { name: 'weather' } }, WEATHER)).toBe(true);
});

test('without parallel calls there is one', async () => {
  expect(await allows({ toolChoice: 'any', parallelToolCalls: false }, PING)).toBe(true);
  expect(await allows({ toolChoice: 'any', parallelToolCalls: false }, `${PING}\n${PING}`)).toBe(false);
});

test('a JSON answer may also be a call where tools are offered', async () => {
  const format = { type: 'json_object' } as const;
  expect(await allows({ format }, '{"a": [1, 2]}')).toBe(true);
  expect(await allows({ format }, PING)).toBe(true);
  expect(await allows({ format, tools: [] }, '[1]')).toBe(false);
  expect(answerGrammar(request({ tools: [] }), TAGGED_CALLS)).toBeUndefined();
});
