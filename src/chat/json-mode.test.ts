import { beforeEach, describe, expect, it } from 'vitest';
import { call } from '../../test/support/call.ts';
import {
  type ChatServer,
  hello,
  json,
  readEvents,
  type ScriptedUpstream,
  serveScripted,
  textAnswer,
  textOf,
} from './chat-for-tests.ts';

let upstream: ScriptedUpstream;
let server: ChatServer;
beforeEach(async () => {
  ({ upstream, server } = await serveScripted());
});

const schema = {
  type: 'object',
  properties: { age: { type: 'integer' } },
  required: ['age'],
  additionalProperties: false,
};
const asObject = { response_format: { type: 'json_object' } };
const asSchema = { response_format: { type: 'json_schema', json_schema: { name: 'person', schema, strict: true } } };

const post = (fields: object) => call(server, '/v1/chat/completions', { body: { ...hello, ...fields } });
const contentOf = async (fields: object) =>
  ((await post(fields)).body as { choices: { message: { content: string } }[] }).choices[0]?.message.content;

function answerWith(...texts: string[]): void {
  const left = [...texts];
  upstream.answerWith((_call, response) =>
    json(response, 200, textAnswer((left.length > 1 ? left.shift() : left[0]) ?? '')),
  );
}

describe('JSON mode', () => {
  it('asks the server for it [CHAT-JSON-MODE] [CHAT-JSON-SCHEMA]', async () => {
    answerWith('{"age": 3}');
    expect(await contentOf(asObject)).toBe('{"age": 3}');
    expect(upstream.calls[0]?.body.response_format).toEqual({ type: 'json_object' });
    expect(await contentOf(asSchema)).toBe('{"age": 3}');
    expect(upstream.calls[1]?.body.response_format).toEqual(asSchema.response_format);
  });

  it('repairs what a server without it answers [CHAT-JSON-MODE] [CHAT-JSON-SCHEMA]', async () => {
    answerWith("Here you are:\n```json\n{'age': 3,}\n```");
    expect(await contentOf(asObject)).toBe('{"age":3}');
    expect(await contentOf(asSchema)).toBe('{"age":3}');
    expect(upstream.calls).toHaveLength(2);
  });

  it.each([
    ['text', 'three', asObject],
    ['a list instead of an object', '[3]', asObject],
    ['another shape', '{"age":"three"}', asSchema],
  ])('asks once more for %s, with the wish in words, and then gives up', async (_name, bad, fields) => {
    answerWith(bad, '{"age":3}');
    expect(await contentOf(fields)).toBe('{"age":3}');
    expect((upstream.calls[1]?.body.messages as unknown[] | undefined)?.[0]).toMatchObject({
      role: 'system',
      content: expect.stringContaining('JSON'),
    });
    answerWith(bad);
    expect(await post(fields)).toMatchObject({ status: 502, body: { code: 'invalid_json_output' } });
    expect(upstream.calls).toHaveLength(4);
  });

  it('leaves an answer that was cut off as it is, with finish length', async () => {
    upstream.answerWith((_call, response) => json(response, 200, textAnswer('{"age":', 'length')));
    expect((await post(asSchema)).body).toMatchObject({
      choices: [{ message: { content: '{"age":' }, finish_reason: 'length' }],
    });
  });

  it('holds a stream back until the answer is known to be good', async () => {
    answerWith('nothing', '```json\n{"age":3}\n```');
    const streamed = readEvents((await post({ ...asSchema, stream: true })).text);
    expect(textOf(streamed)).toBe('{"age":3}');
    expect(streamed.isDone).toBe(true);
    answerWith('nothing');
    expect(await post({ ...asSchema, stream: true })).toMatchObject({ status: 502 });
  });
});
