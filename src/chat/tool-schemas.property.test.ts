import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';
import { call } from '../../test/support/call.ts';
import { rounds } from '../../test/support/rounds.ts';
import {
  type ChatServer,
  callAnswer,
  deltaChunk,
  events,
  json,
  type ScriptedUpstream,
  serveScripted,
  usageChunk,
} from './chat-for-tests.ts';
import { readChoice } from './read-choice-for-tests.ts';
import { toolParameters } from './schema-samples-for-tests.ts';

/** What a model says when it should call: almost right JSON, or nothing of use. `isLost`: there is no value in it. */
const spellings: { spell: (value: unknown) => unknown; isLost?: true }[] = [
  { spell: (value) => JSON.stringify(value) },
  { spell: (value) => JSON.stringify(value, null, 2) },
  { spell: (value) => value },
  { spell: (value) => `\`\`\`json\n${JSON.stringify(value)}\n\`\`\`` },
  { spell: (value) => JSON.stringify(value).replace(/\}$/, ',}') },
  { spell: (value) => JSON.stringify(value).slice(0, -1) },
  { spell: (value) => JSON.stringify(JSON.stringify(value)) },
  { spell: () => '{"never": "fits", "at": "all"}', isLost: true },
  { spell: () => 'I cannot do that.', isLost: true },
];
const choices = ['auto', 'any', 'required', { type: 'function', function: { name: 'f' } }, 'none'] as const;

const SCHEMAS = rounds(200, 1000);

let upstream: ScriptedUpstream;
let server: ChatServer;
beforeAll(async () => {
  ({ upstream, server } = await serveScripted());
});

/** A server that calls `f` with these arguments, in two fragments where it streams, and is perhaps cut off. */
function callWith(spelt: unknown, finish: string): void {
  upstream.answerWith((asked, response) => {
    if (!asked.body.stream) return json(response, 200, callAnswer([{ name: 'f', arguments: spelt }], finish));
    const text = typeof spelt === 'string' ? spelt : JSON.stringify(spelt);
    const half = Math.floor(text.length / 2);
    events(response, [
      deltaChunk({
        tool_calls: [{ index: 0, id: 'call_7', function: { name: 'f', arguments: text.slice(0, half) } }],
      }),
      deltaChunk({ tool_calls: [{ index: 0, function: { arguments: text.slice(half) } }] }),
      deltaChunk({}, finish),
      usageChunk,
    ]);
  });
}

// Compiling a schema costs more than all else here, so the judge is asked about a part of them.
it('the generated values fit their schemas', () => {
  const judge = new Ajv2020({ strict: false, validateFormats: false, code: { optimize: false } });
  fc.assert(fc.property(toolParameters, ({ schema, value }) => judge.compile(schema)(value)));
});

it('the tool-call contract holds for generated schemas, streamed and not', async () => {
  const counts = { called: 0, refused: 0, silent: 0, cut: 0 };
  await fc.assert(
    fc.asyncProperty(
      toolParameters,
      fc.constantFrom(...spellings),
      fc.constantFrom(...choices),
      fc.boolean(),
      fc.oneof({ weight: 5, arbitrary: fc.constant('tool_calls') }, { weight: 1, arbitrary: fc.constant('length') }),
      async ({ schema, value }, { spell, isLost }, tool_choice, stream, finish) => {
        const spelt = spell(value);
        callWith(spelt, finish);
        const answer = await call(server, '/v1/chat/completions', {
          body: {
            model: 'small',
            stream,
            messages: [{ role: 'user', content: 'go' }],
            tools: [{ type: 'function', function: { name: 'f', parameters: schema } }],
            tool_choice,
          },
        });
        if (answer.status === 502) {
          counts.refused += 1;
          // What has the right value in some spelling must not be refused.
          expect(isLost).toBe(true);
          expect((answer.body as { code: string }).code).toMatch(/^(invalid|missing)_tool_call$/);
          return;
        }
        expect(answer.status).toBe(200);
        const choice = readChoice(answer, stream);
        if (finish === 'length') counts.cut += 1;
        expect(choice.finish).toBe(finish === 'length' ? 'length' : tool_choice === 'none' ? 'stop' : 'tool_calls');
        if (tool_choice === 'none' || (finish === 'length' && choice.calls.length === 0)) {
          counts.silent += 1;
          expect(choice.calls).toEqual([]);
          return;
        }
        expect(choice.calls).toHaveLength(1);
        const [made] = choice.calls;
        expect(made?.id).toMatch(/^[a-zA-Z0-9]{9}$/);
        expect(made?.function.name).toBe('f');
        const given: unknown = JSON.parse(made?.function.arguments ?? '');
        expect(given).toEqual(value);
        counts.called += 1;
      },
    ),
    { numRuns: SCHEMAS },
  );
  expect(Math.min(...Object.values(counts)), JSON.stringify(counts)).toBeGreaterThan(SCHEMAS * 0.03);
}, 60_000);
