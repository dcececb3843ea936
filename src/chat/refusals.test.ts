import { beforeAll, describe, expect, it } from 'vitest';
import { call } from '../../test/support/call.ts';
import { engineErrors } from '../engines/index.ts';
import type { ChatRequest, Engine } from '../models/index.ts';
import {
  type ChatServer,
  engineFor,
  hello,
  type ScriptedUpstream,
  serveChat,
  startUpstream,
  weather,
} from './chat-for-tests.ts';

let upstream: ScriptedUpstream;
let server: ChatServer;
beforeAll(async () => {
  upstream = await startUpstream();
  const engine = engineFor(upstream);
  server = await serveChat({ small: engine, embedder: { engine, capabilities: { completion_chat: false } } });
});

const post = (body: unknown) => call(server, '/v1/chat/completions', { body });
const firstMessage = async (message: unknown) => (await post({ ...hello, messages: [message] })).status;
const answered = [
  { role: 'user', content: 'weather?' },
  {
    role: 'assistant',
    tool_calls: [{ id: 'abcdefgh1', function: { name: 'get_weather', arguments: { city: 'Paris' } } }],
  },
  { role: 'tool', content: '21 °C', tool_call_id: 'abcdefgh1', name: 'get_weather' },
];

describe('400', () => {
  const refusal = (code: string, message: unknown) => ({
    object: 'error',
    message,
    type: 'invalid_request_error',
    param: null,
    code,
  });

  it('an unknown model [CHAT-UNKNOWN-MODEL]', async () => {
    expect(await post({ ...hello, model: 'nobody' })).toMatchObject({
      status: 400,
      body: {
        object: 'error',
        message:
          'Invalid model: nobody. Choose one of GET /v1/models. The operator adds one under models: in tramontane.yaml: - { id: nobody, engine: upstream, url: "http://127.0.0.1:8000/v1" }',
        type: 'invalid_model',
        param: null,
        code: '1500',
      },
    });
  });

  it('messages out of order [CHAT-MESSAGE-ORDER]', async () => {
    expect(await post({ ...hello, messages: [...answered, { role: 'user', content: 'and?' }] })).toMatchObject({
      status: 400,
      body: {
        object: 'error',
        message: "Unexpected role 'user' after role 'tool'",
        type: 'invalid_request_message_order',
        param: null,
        code: '3230',
      },
    });
  });

  const rows: [string, string, Record<string, unknown>, unknown][] = [
    [
      'a model that does not chat',
      'model_capability_missing',
      { model: 'embedder' },
      expect.stringMatching(/^The model 'embedder' cannot complete chats\. .*tramontane\.yaml: - { id: chat, /),
    ],
    [
      'a guardrail without a config',
      'guardrail_invalid',
      { guardrails: [{}] },
      expect.stringContaining('exactly one of'),
    ],
    [
      'two tools of one name',
      'function_name_taken',
      { tools: [weather, weather] },
      expect.stringContaining('more than one tool'),
    ],
    [
      'a tool whose parameters are no schema',
      'tool_parameters_invalid',
      { tools: [{ type: 'function', function: { name: 'f', parameters: { type: 'nothing' } } }] },
      "The parameters of tool 'f' are not a valid JSON schema of at most 128 KiB.",
    ],
    [
      'a tool whose schema is longer than any',
      'tool_parameters_invalid',
      { tools: [{ type: 'function', function: { name: 'f', parameters: { description: 'x'.repeat(140_000) } } }] },
      "The parameters of tool 'f' are not a valid JSON schema of at most 128 KiB.",
    ],
    [
      'a tool whose arguments could be no object',
      'tool_parameters_invalid',
      { tools: [{ type: 'function', function: { name: 'f', parameters: { type: 'array' } } }] },
      "The parameters of tool 'f' must be a JSON schema of type 'object'.",
    ],
    [
      'an answer that is longer than the context',
      'max_tokens_too_large',
      { max_tokens: 32_769 },
      "max_tokens 32769 is more than the 32768 tokens that the context of 'small' holds.",
    ],
    [
      'an image in a file of the server',
      'image_url_invalid',
      { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: 'file:///etc/passwd' }] }] },
      'An image_url is an http or https address, or a data: URL.',
    ],
    [
      'a tool of a bad name',
      'function_name_invalid',
      { tools: [{ type: 'function', function: { name: 'a b', parameters: {} } }] },
      expect.stringContaining('Function name was a b'),
    ],
    [
      'too many tools',
      'list_too_long',
      { tools: Array(129).fill(weather) },
      'At most 128 tools can be given, not 129.',
    ],
    ['more choices than anybody reads', 'list_too_long', { n: 65 }, 'n can be at most 64.'],
    [
      'too many stop strings',
      'list_too_long',
      { stop: Array(1001).fill('x') },
      'At most 1000 stop strings can be given, not 1001.',
    ],
    ['any without tools', 'tool_choice_invalid', { tool_choice: 'any' }, "tool_choice 'any' needs tools."],
    [
      'a choice that is not among the tools',
      'tool_choice_invalid',
      { tools: [weather], tool_choice: { type: 'function', function: { name: 'f' } } },
      expect.stringContaining("'f'"),
    ],
    [
      'a prediction for several choices',
      'prediction_conflict',
      { n: 2, prediction: { type: 'content', content: 'x' } },
      'prediction cannot be combined with n greater than 1.',
    ],
    [
      'json_schema without one',
      'response_format_invalid',
      { response_format: { type: 'json_schema' } },
      expect.stringContaining('json_schema'),
    ],
    [
      'a response schema that is none',
      'response_format_invalid',
      { response_format: { type: 'json_schema', json_schema: { name: 'x', schema: { type: 1 } } } },
      'The schema of response_format is not a valid JSON schema of at most 128 KiB.',
    ],
  ];
  it.each(rows)(
    '%s [CHAT-PREDICTION] [CHAT-TOOL-DEFINITION] [MODELS-CONTEXT-LIMIT]',
    async (_name, code, fields, message) => {
      const before = upstream.calls.length;
      expect(await post({ ...hello, ...fields })).toMatchObject({ status: 400, body: refusal(code, message) });
      expect(upstream.calls).toHaveLength(before);
    },
  );

  const tool_configuration = { include: ['a'], exclude: null, requires_confirmation: [] };
  it.each([
    [{ type: 'web_search', tool_configuration }],
    [{ type: 'web_search_premium' }],
    [{ type: 'code_interpreter', tool_configuration: null }],
    [{ type: 'image_generation' }],
    [{ type: 'document_library', library_ids: ['a'] }],
    [{ type: 'connector', connector_id: 'c', authorization: { type: 'api-key', value: 'v' } }],
    [{ type: 'connector', connector_id: 'c', authorization: { type: 'oauth2-token', value: 'v' } }],
  ])('a tool that only agents have: %j [CHAT-BUILT-IN-TOOLS]', async (tool) => {
    expect(await post({ ...hello, tools: [tool] })).toMatchObject({
      status: 400,
      body: refusal('tool_type_unsupported', expect.stringContaining(`'${tool.type}'`)),
    });
  });

  it.each([
    ['user', { type: 'document_url', document_url: 'https://a.example', document_name: 'a' }],
    ['user', { type: 'file', file_id: '0197c2f0-7c1b-7cf0-8a44-3d2b3c6a9f10' }],
    ['tool', { type: 'image_url', image_url: 'https://a.example/b.png' }],
    ['assistant', { type: 'image_url', image_url: 'https://a.example/b.png' }],
  ])('a chunk of a %s message that no engine reads: %j [CHAT-CONTENT-REFUSED]', async (role, chunk) => {
    const [asked, called, told] = answered;
    const messages = {
      user: [{ role, content: [chunk] }],
      tool: [asked, called, { ...told, content: [chunk] }],
      assistant: [asked, { role, content: [chunk] }, asked],
    }[role];
    expect(await post({ ...hello, messages })).toMatchObject({
      status: 400,
      body: refusal('content_chunk_unsupported', expect.stringContaining(`'${chunk.type}'`)),
    });
  });
});

describe('422', () => {
  it.each(['system', 'user', 'assistant', 'tool', 'developer', 'function'])(
    'the role %s [CHAT-ROLES]',
    async (role) => {
      const isKnown = ['system', 'user', 'assistant', 'tool'].includes(role);
      expect((await firstMessage({ role, content: 'x', ...(role === 'tool' && { tool_call_id: 'a' }) })) !== 422).toBe(
        isKnown,
      );
    },
  );

  it.each([[{ messages: [] }], [{ model: 'small' }], [{}]])(
    '%j lacks what is required [CHAT-MODEL-REQUIRED]',
    async (body) => {
      const { status, body: answer } = await post(body);
      expect(status).toBe(422);
      expect((answer as { detail: unknown[] }).detail[0]).toMatchObject({ type: 'missing', msg: 'Field required' });
    },
  );

  it.each([
    [{ temperature: 1.6 }],
    [{ temperature: -0.1 }],
    [{ top_p: 0 }],
    [{ top_p: 1.1 }],
    [{ max_tokens: -1 }],
    [{ max_tokens: 1.5 }],
    [{ random_seed: -1 }],
    [{ presence_penalty: 2.1 }],
    [{ frequency_penalty: -2.1 }],
    [{ n: 0 }],
    [{ stop: 7 }],
    [{ stream: 'yes' }],
    [{ tool_choice: 'always' }],
    [{ reasoning_effort: 'extreme' }],
    [{ prompt_mode: 'x' }],
    [{ service_tier: 'gold' }],
    [{ response_format: { type: 'xml' } }],
    [{ tools: [{ type: 'document_library', library_ids: [] }] }],
    [{ prediction: { type: 'other' } }],
  ])('%j is out of range [CHAT-TEMPERATURE] [CHAT-PENALTIES] [CHAT-TOP-P] [CHAT-SERVICE-TIER]', async (fields) => {
    expect((await post({ ...hello, ...fields })).status).toBe(422);
  });

  it.each([
    [{ seed: 1 }, ['seed']],
    [{ max_completion_tokens: 1 }, ['max_completion_tokens']],
    [{ stream_options: {} }, ['stream_options']],
    [{ messages: [{ role: 'user', content: 'x', name: 'bob' }] }, ['messages', 0, 'user', 'name']],
    [
      { messages: [{ role: 'user', content: [{ type: 'text', text: 'x', cache: 1 }] }] },
      ['messages', 0, 'user', 'content', expect.stringContaining('list['), 0, 'text', 'cache'],
    ],
    [{ tools: [{ ...weather, extra: 1 }] }, ['tools', 0, 'function', 'extra']],
    [{ guardrails: [{ extra: 1 }] }, ['guardrails', 0, 'extra']],
    [{ response_format: { type: 'text', extra: 1 } }, ['response_format', 'extra']],
  ])('%j is not permitted [CHAT-EXTRA] [CHAT-SEED]', async (fields, loc) => {
    const { status, body } = await post({ ...hello, ...fields });
    expect(status).toBe(422);
    expect((body as { detail: unknown[] }).detail).toContainEqual(
      expect.objectContaining({
        type: 'extra_forbidden',
        loc: ['body', ...loc],
        msg: 'Extra inputs are not permitted',
      }),
    );
  });

  it.each([
    ['missing', {}, 'missing'],
    ['null', { tool_call_id: null }, 'string_type'],
  ])('a tool message whose tool_call_id is %s [CHAT-TOOL-CALL-ID]', async (_name, fields, type) => {
    const tool = { role: 'tool', content: 'x', ...fields };
    const { status, body } = await post({ ...hello, messages: [...answered.slice(0, 2), tool] });
    expect(status).toBe(422);
    expect(body).toMatchObject({ detail: [{ type, loc: ['body', 'messages', 2, 'tool', 'tool_call_id'] }] });
  });
});

describe('429 and 5xx', () => {
  it('a limit of the server is ours too, with its Retry-After [CHAT-429-BODY]', async () => {
    upstream.answerWith((_call, response) => void response.writeHead(429, { 'retry-after': '30' }).end('secret-key'));
    const { status, body, headers, text } = await post(hello);
    expect(status).toBe(429);
    expect(headers.get('retry-after')).toBe('30');
    expect(body).toEqual({
      object: 'error',
      message: 'Rate limit exceeded',
      type: 'rate_limited',
      param: null,
      code: '1300',
    });
    expect(text).not.toContain('secret');
  });

  it('nothing of the server is shown or logged: not its words, its address or its key', async () => {
    const quick = await serveChat({
      small: engineFor([upstream, 'http://127.0.0.1:1/v1'], { retry: { retriesMax: 0 } }),
    });
    upstream.answerWith((_call, response) => void response.writeHead(401).end('its own words'));
    const { text } = await call(quick, '/v1/chat/completions', { body: hello });
    for (const secret of ['its own words', '127.0.0.1:1', new URL(upstream.url).host, 'upstream-secret'])
      expect(text + quick.logs.join()).not.toContain(secret);
  });
});

describe('a schema that an embedded model cannot follow', () => {
  it('is a 422 whose item has the code, streamed or not, and the engine knows whose request it was', async () => {
    const tenants: unknown[] = [];
    const refuse = (request: ChatRequest): never => {
      tenants.push({ ...request.tenant, workspace: request.workspace });
      throw engineErrors.grammar_too_expensive(['body'], 'Use a simpler pattern.');
    };
    const engine: Engine = {
      complete: async (request) => refuse(request),
      stream: (request) => refuse(request),
      state: () => ({ kind: 'ready' }),
      close: async () => undefined,
    };
    const refusing = await serveChat({ small: engine });
    for (const stream of [false, true]) {
      expect(await call(refusing, '/v1/chat/completions', { body: { ...hello, stream } })).toMatchObject({
        status: 422,
        body: { detail: [{ type: 'grammar_too_expensive', loc: ['body'], msg: 'Use a simpler pattern.' }] },
      });
    }
    expect(tenants).toMatchObject(
      [0, 1].map(() => ({ organization: 'organization', key: 'key', workspace: 'workspace' })),
    );
    expect(refusing.usage.map(({ status }) => status)).toContain(422);
  });
});
