import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';
import { call } from '../support/call.ts';
import {
  type ChatServer,
  callAnswer,
  deltaChunk,
  events,
  json,
  readEvents,
  type ScriptedUpstream,
  serveScripted,
  usageChunk,
} from './support.ts';

/** A schema together with a value that fits it. */
type Sample = { schema: Record<string, unknown>; value: unknown };

const leaf: fc.Arbitrary<Sample> = fc.oneof(
  fc.string({ maxLength: 8 }).map((value) => ({ schema: { type: 'string', maxLength: 8 }, value })),
  fc
    .string({ minLength: 2, maxLength: 5 })
    .map((value) => ({ schema: { type: 'string', minLength: 2, maxLength: 10 }, value })),
  fc.integer({ min: -5, max: 5 }).map((value) => ({ schema: { type: 'integer', minimum: -5, maximum: 5 }, value })),
  fc
    .integer({ min: 1, max: 9 })
    .map((value) => ({ schema: { type: 'number', exclusiveMinimum: 0, multipleOf: 1 }, value })),
  fc.constantFrom('a', 'b', 3, null).map((value) => ({ schema: { enum: ['a', 'b', 3, null] }, value })),
  fc.constantFrom('x', true).map((value) => ({ schema: { const: value }, value })),
  fc
    .stringMatching(/^[a-f]{2,4}-\d{1,3}$/)
    .map((value) => ({ schema: { type: 'string', pattern: '^[a-f]{2,4}-\\d{1,3}$' }, value })),
  fc.boolean().map((value) => ({ schema: { type: 'boolean' }, value })),
);

const { sample } = fc.letrec<{ sample: Sample }>((tie) => ({
  sample: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    leaf,
    fc.array(tie('sample'), { minLength: 1, maxLength: 3 }).map((samples) => ({
      schema: { type: 'array', items: { anyOf: samples.map(({ schema }) => schema) }, minItems: 1, maxItems: 3 },
      value: samples.map(({ value }) => value),
    })),
    fc.tuple(tie('sample'), leaf).map(([chosen, other]) => ({
      schema: { anyOf: [other.schema, chosen.schema] },
      value: chosen.value,
    })),
    fc.dictionary(fc.stringMatching(/^[a-z]{1,6}$/), tie('sample'), { maxKeys: 3 }).map(objectOf),
  ),
}));

function objectOf(fields: Record<string, Sample>): Sample {
  const names = Object.keys(fields);
  const schemas = Object.fromEntries(names.map((name) => [name, fields[name]?.schema]));
  const value = Object.fromEntries(names.map((name) => [name, fields[name]?.value]));
  return { schema: { type: 'object', properties: schemas, required: names, additionalProperties: false }, value };
}

/** The parameters of a tool: an object, whose first part is written by reference. */
const parameters = fc
  .dictionary(fc.stringMatching(/^[a-z]{1,6}$/), sample, { minKeys: 1, maxKeys: 3 })
  .map((fields) => {
    const { schema, value } = objectOf(fields);
    const [name = ''] = Object.keys(fields);
    const properties = { ...(schema.properties as object), [name]: { $ref: '#/$defs/part' } };
    return { schema: { ...schema, properties, $defs: { part: fields[name]?.schema } }, value };
  });

/** Ways in which models get JSON almost right. */
const spellings: ((value: unknown) => string | unknown)[] = [
  (value) => JSON.stringify(value),
  (value) => JSON.stringify(value, null, 2),
  (value) => value,
  (value) => `\`\`\`json\n${JSON.stringify(value)}\n\`\`\``,
  (value) => JSON.stringify(value).replace(/\}$/, ',}'),
  (value) => JSON.stringify(value).slice(0, -1),
  (value) => JSON.stringify(JSON.stringify(value)),
  () => '{"never": "fits", "at": "all"}',
  () => 'I cannot do that.',
];

let upstream: ScriptedUpstream;
let server: ChatServer;
beforeAll(async () => {
  ({ upstream, server } = await serveScripted());
});

it('arguments fit the schema of their tool, streamed or not, or there is no call at all', async () => {
  const judge = new Ajv2020({ strict: false });
  const counts = { good: 0, refused: 0 };
  await fc.assert(
    fc.asyncProperty(
      parameters,
      fc.constantFrom(...spellings),
      fc.boolean(),
      async ({ schema, value }, spell, stream) => {
        const spelt = spell(value);
        upstream.answerWith((call, response) => {
          if (!call.body.stream) return json(response, 200, callAnswer([{ name: 'f', arguments: spelt }]));
          const text = typeof spelt === 'string' ? spelt : JSON.stringify(spelt);
          const half = Math.floor(text.length / 2);
          events(response, [
            deltaChunk({
              tool_calls: [{ index: 0, id: 'call_7', function: { name: 'f', arguments: text.slice(0, half) } }],
            }),
            deltaChunk({ tool_calls: [{ index: 0, function: { arguments: text.slice(half) } }] }),
            deltaChunk({}, 'tool_calls'),
            usageChunk,
          ]);
        });
        const { status, body, text } = await call(server, '/v1/chat/completions', {
          body: {
            model: 'small',
            stream,
            messages: [{ role: 'user', content: 'go' }],
            tools: [{ type: 'function', function: { name: 'f', parameters: schema } }],
          },
        });
        if (status === 502) {
          expect((body as { code: string }).code).toBe('invalid_tool_call');
          counts.refused += 1;
          // What has the right value in some spelling must not be refused.
          expect(typeof spelt === 'string' && /never|cannot/.test(spelt)).toBe(true);
          return;
        }
        expect(status).toBe(200);
        const calls = stream
          ? readEvents(text).chunks.flatMap(({ choices }) => choices[0]?.delta.tool_calls ?? [])
          : (body as { choices: { message: { tool_calls: { id: string; function: { arguments: string } }[] } }[] })
              .choices[0]?.message.tool_calls;
        expect(calls).toHaveLength(1);
        expect(calls?.[0]?.id).toMatch(/^[a-zA-Z0-9]{9}$/);
        const given = JSON.parse(calls?.[0]?.function.arguments ?? '');
        expect(judge.validate(schema, given)).toBe(true);
        counts.good += 1;
      },
    ),
    { numRuns: 300 },
  );
  expect(Math.min(counts.good, counts.refused)).toBeGreaterThan(20);
}, 60_000);
