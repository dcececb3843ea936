import { expect, it } from 'vitest';
import { call } from '../../test/support/call.ts';
import { doublingByValue, doublingSchema, nestedValue } from '../../test/support/expensive-schemas.ts';
import { type Meter, meteringErrors } from '../metering/index.ts';
import { callAnswer, hello, json, readEvents, serveScripted, textAnswer } from './chat-for-tests.ts';

const formatOf = (schema: object) => ({
  response_format: { type: 'json_schema', json_schema: { name: 'answer', schema, strict: true } },
});
const toolOf = (name: string, parameters: object) => ({ type: 'function', function: { name, parameters } });
const FORMAT = ['body', 'response_format', 'json_schema', 'schema'];

async function start(ports: Parameters<typeof serveScripted>[0] = {}) {
  const { upstream, server } = await serveScripted(ports);
  return {
    upstream,
    server,
    post: (fields: object) => call(server, '/v1/chat/completions', { body: { ...hello, ...fields } }),
  };
}
const itemOf = ({ body }: { body: unknown }) => (body as { detail: unknown[] }).detail[0];

it('refuses an expensive schema before a model is asked, and says where it is', async () => {
  const { upstream, server, post } = await start();
  const format = await post(formatOf(doublingSchema));
  expect(format.status, format.text).toBe(422);
  expect(itemOf(format)).toMatchObject({ type: 'schema_too_expensive', loc: FORMAT });
  const tools = await post({ tools: [toolOf('plain', { type: 'object' }), toolOf('costly', doublingSchema)] });
  expect(itemOf(tools)).toMatchObject({
    type: 'schema_too_expensive',
    loc: ['body', 'tools', 1, 'function', 'parameters'],
  });
  const streamed = await post({ ...formatOf(doublingSchema), stream: true });
  expect(itemOf(streamed)).toMatchObject({ type: 'schema_too_expensive' });
  expect(upstream.calls).toHaveLength(0);
  expect(server.usage.map(({ status, usage }) => [status, usage.promptTokens])).toEqual([
    [422, 0],
    [422, 0],
    [422, 0],
  ]);
});

it('keeps the codes of schemas that are wrong or too large', async () => {
  const { post } = await start();
  expect((await post(formatOf({ type: 'nothing' }))).body).toMatchObject({ code: 'response_format_invalid' });
  expect((await post(formatOf({ enum: ['x'.repeat(200_000)] }))).body).toMatchObject({
    code: 'response_format_invalid',
  });
  const tools = [toolOf('wrong', { type: 'object', properties: 1 })];
  expect((await post({ tools })).body).toMatchObject({ code: 'tool_parameters_invalid' });
});

it('looks at schemas only after the rate limit', async () => {
  const reserve = (): never => {
    throw meteringErrors.rate_limit_exceeded();
  };
  const { post } = await start({ meter: { reserve } as unknown as Meter });
  expect((await post(formatOf(doublingSchema))).status).toBe(429);
});

it('refuses an answer that takes too much work to check, without asking again', async () => {
  const { upstream, post } = await start();
  upstream.answerWith((_call, response) => json(response, 200, textAnswer(JSON.stringify(nestedValue(60)))));
  const answer = await post(formatOf(doublingByValue));
  expect(answer.status, answer.text).toBe(422);
  expect(itemOf(answer)).toMatchObject({ type: 'schema_too_expensive', loc: FORMAT });
  expect(upstream.calls).toHaveLength(1);
});

it('refuses arguments that take too much work to check', async () => {
  const { upstream, post } = await start();
  const calls = [{ id: 'abcdefgh1', name: 'costly', arguments: nestedValue(60) }];
  upstream.answerWith((_call, response) => json(response, 200, callAnswer(calls)));
  const answer = await post({ tools: [toolOf('plain', { type: 'object' }), toolOf('costly', doublingByValue)] });
  expect(answer.status, answer.text).toBe(422);
  expect(itemOf(answer)).toMatchObject({
    type: 'schema_too_expensive',
    loc: ['body', 'tools', 1, 'function', 'parameters'],
  });
});

it('ends a stream with the code when its answer takes too much work to check', async () => {
  const { upstream, post } = await start();
  upstream.answerWith((_call, response) => json(response, 200, textAnswer(JSON.stringify(nestedValue(60)))));
  const answer = await post({ ...formatOf(doublingByValue), stream: true });
  const code = answer.status === 200 ? readEvents(answer.text).error?.code : (itemOf(answer) as { type: string }).type;
  expect(code).toBe('schema_too_expensive');
});
