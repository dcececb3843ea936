import { expect, it } from 'vitest';
import type { Agent } from '../../../../src/agents/schema.ts';
import { draftOf, emptyParameters, readAgent } from './agent-draft.ts';

const agent: Agent = {
  object: 'agent',
  id: 'ag_1',
  name: 'Clerk',
  model: 'small',
  description: 'Answers',
  instructions: 'Be brief.',
  tools: [
    { type: 'code_interpreter', tool_configuration: { requires_confirmation: ['code_interpreter'] } },
    {
      type: 'connector',
      connector_id: 'wiki',
      tool_configuration: { exclude: ['delete'], requires_confirmation: ['edit'] },
    },
    {
      type: 'function',
      function: { name: 'book', description: 'Books', strict: false, parameters: { type: 'object' } },
    },
    { type: 'web_search_premium' },
  ],
  completion_args: { temperature: 0.2, top_p: 0.9, tool_choice: 'auto' },
  handoffs: ['ag_2'],
  metadata: { team: 'harbour', skills: ['tides@3'] },
  version: 3,
  versions: [0, 1, 2, 3],
  created_at: '2026-01-01T00:00:00Z',
  updated_at: '2026-01-01T00:00:00Z',
  deployment_chat: false,
  source: 'api',
};

it('round-trips an agent, including what the form does not show', () => {
  const { request, problems } = readAgent(draftOf(agent));
  expect(problems).toEqual({});
  expect(request).toMatchObject({
    name: 'Clerk',
    model: 'small',
    completion_args: { temperature: 0.2, top_p: 0.9, tool_choice: 'auto' },
    handoffs: ['ag_2'],
    metadata: { team: 'harbour', skills: ['tides@3'] },
  });
  expect(request?.tools).toEqual(expect.arrayContaining(agent.tools ?? []));
  expect(request?.tools).toHaveLength(4);
});

it('omits emptied fields and clears them on the server', () => {
  const draft = { ...draftOf(agent), temperature: '', handoffs: [], skills: [], description: ' ', instructions: '' };
  const { request } = readAgent({ ...draft, tools: {}, connectors: [], functions: [], note: 'less' });
  expect(request).toMatchObject({
    description: null,
    instructions: null,
    handoffs: null,
    metadata: { team: 'harbour' },
    tools: [{ type: 'web_search_premium' }],
    version_message: 'less',
  });
  expect(request?.completion_args).not.toHaveProperty('temperature');
});

it('reports problems by input', () => {
  const { request, problems } = readAgent({
    ...draftOf(),
    temperature: '2',
    maxTokens: '0.5',
    connectors: [{ key: 7, id: '', confirm: '' }],
    functions: [
      { key: 8, name: 'with space', description: '', parameters: emptyParameters },
      { key: 9, name: 'ok', description: '', parameters: '{' },
    ],
  });
  expect(request).toBeUndefined();
  expect(Object.keys(problems).sort()).toEqual(
    ['connector 7', 'function 8', 'maxTokens', 'model', 'name', 'parameters 9', 'temperature'].sort(),
  );
});
