import { describe, expect, it } from 'vitest';
import { ChatCompletionRequest } from '../../../../src/chat/schema/requests.ts';
import { sampleOf } from './code-samples.ts';
import { FLAVOURS } from './flavours.ts';
import { buildRequest, EMPTY_SETUP, type Setup } from './setup.ts';

const turns = [{ role: 'user' as const, content: 'Hello!' }];
const setup = (more: Partial<Setup>): Setup => ({ ...EMPTY_SETUP, target: { kind: 'model', id: 'small' }, ...more });

describe('the request of a setup', () => {
  it('omits empty fields', () => {
    expect(buildRequest(setup({}), turns)).toEqual({
      request: { path: '/v1/chat/completions', body: { model: 'small', messages: turns } },
      problems: {},
    });
  });

  it('contains all settings in the format of the API', () => {
    const tools = [{ type: 'function', function: { name: 'now', parameters: { type: 'object', properties: {} } } }];
    const { request, problems } = buildRequest(
      setup({
        system: 'Be brief.',
        temperature: '0.2',
        topP: '0.9',
        maxTokens: '64',
        seed: '7',
        stop: 'END\n\nSTOP',
        tools: JSON.stringify(tools),
        toolChoice: 'any',
        format: 'json_schema',
        schema: '{"type":"object"}',
      }),
      turns,
    );
    expect(problems).toEqual({});
    expect(request.body).toEqual({
      model: 'small',
      messages: [{ role: 'system', content: 'Be brief.' }, ...turns],
      temperature: 0.2,
      top_p: 0.9,
      max_tokens: 64,
      random_seed: 7,
      stop: ['END', 'STOP'],
      tools,
      tool_choice: 'any',
      response_format: {
        type: 'json_schema',
        json_schema: { name: 'answer', schema: { type: 'object' }, strict: true },
      },
    });
    expect(ChatCompletionRequest.safeParse(request.body).error).toBeUndefined();
  });

  it('names a prompt by alias, version or latest, with its variables', () => {
    const model = (at: string) =>
      buildRequest(setup({ target: { kind: 'prompt', name: 'greet', at }, variables: { who: 'Ada' } }), turns).request
        .body;
    expect(model('production')).toMatchObject({
      model: 'prompt:greet@production',
      metadata: { variables: { who: 'Ada' } },
    });
    expect(model('#3')).toMatchObject({ model: 'prompt:greet#3' });
    expect(model('')).toMatchObject({ model: 'prompt:greet' });
  });

  it('omits instructions and sampling for an agent', () => {
    const { request } = buildRequest(
      setup({ target: { kind: 'agent', id: 'ag_1' }, system: 'Be brief.', temperature: '1', maxTokens: '9' }),
      turns,
    );
    expect(request).toEqual({
      path: '/v1/agents/completions',
      body: { agent_id: 'ag_1', messages: turns, max_tokens: 9 },
    });
  });

  it('sends tool results in the format of the API', () => {
    const call = { id: 'abcdefghi', name: 'now', arguments: '{}' };
    const { request } = buildRequest(setup({}), [
      ...turns,
      { role: 'assistant', content: '', calls: [call] },
      { role: 'tool', content: '12:00', call },
    ]);
    expect(request.body.messages.slice(1)).toEqual([
      {
        role: 'assistant',
        content: '',
        tool_calls: [{ id: 'abcdefghi', type: 'function', function: { name: 'now', arguments: '{}' } }],
      },
      { role: 'tool', content: '12:00', tool_call_id: 'abcdefghi', name: 'now' },
    ]);
    expect(ChatCompletionRequest.safeParse(request.body).error).toBeUndefined();
  });

  it('reports problems by field', () => {
    const { problems } = buildRequest(
      setup({
        target: { kind: 'prompt', name: '', at: '' },
        temperature: 'warm',
        topP: '2',
        maxTokens: '1.5',
        tools: '{}',
        format: 'json_schema',
        schema: '{',
      }),
      turns,
    );
    expect(Object.keys(problems).sort()).toEqual(['maxTokens', 'schema', 'target', 'temperature', 'tools', 'topP']);
    expect(problems.maxTokens).toContain('whole number');
  });
});

describe('the code of a request', () => {
  it('says what to fill in where no model or agent is chosen', () => {
    for (const kind of ['model', 'agent'] as const)
      for (const flavour of FLAVOURS) {
        const { request } = buildRequest(setup({ target: { kind, id: '' } }), turns);
        const code = sampleOf('curl', request, 'http://localhost', flavour);
        expect(code).toContain(kind === 'model' ? 'YOUR_MODEL' : 'YOUR_AGENT');
        expect(code).not.toContain('""');
      }
  });
});
