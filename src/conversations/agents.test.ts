import { beforeAll, expect, it } from 'vitest';
import { call } from '../../test/support/call.ts';
import { onSqliteFirst } from '../../test/support/databases.ts';
import { type Conversing, MODEL, post, readEvents, startConversing } from './conversations-for-tests.ts';

onSqliteFirst('a conversation with an agent', (database) => {
  let conversing: Conversing;
  beforeAll(async () => {
    conversing = await startConversing(database);
  });
  const agent = async (body: Record<string, unknown>): Promise<string> =>
    ((await call(conversing.server, '/v1/agents', { body: { model: MODEL, ...body } })).body as { id: string }).id;
  const handoff = (name: string, id: string) => ({ name: `handoff_to_${name}_${id.slice(-8)}`, arguments: {} });

  it('is answered with what the agent has, at the version it names [CONVERSATIONS-START-AGENT]', async () => {
    const id = await agent({ name: 'Poet', instructions: 'Rhyme.', completion_args: { temperature: 0.2 } });
    await call(conversing.server, `/v1/agents/${id}`, { method: 'PATCH', body: { instructions: 'Prose.' } });
    await call(conversing.server, `/v1/agents/${id}/aliases?alias=old&version=0`, { method: 'PUT' });
    for (const [agent_version, instructions] of [
      [undefined, 'Prose.'],
      [0, 'Rhyme.'],
      ['old', 'Rhyme.'],
    ]) {
      const { body, headers } = await call(conversing.server, '/v1/conversations', {
        body: { agent_id: id, inputs: 'Hi', ...(agent_version === undefined ? {} : { agent_version }) },
      });
      expect(headers.get('tramontane-model')).toBe(MODEL);
      expect(headers.get('tramontane-agent-version')).toBe(`${id}#${instructions === 'Rhyme.' ? 0 : 1}`);
      expect(body).toMatchObject({ outputs: [{ agent_id: id, model: MODEL }] });
      expect(conversing.upstream.calls.at(-1)?.body).toMatchObject({
        temperature: 0.2,
        messages: [{ role: 'system', content: instructions }, { role: 'user' }],
      });
      const { conversation_id } = body as { conversation_id: string };
      expect((await call(conversing.server, `/v1/conversations/${conversation_id}`)).body).toEqual({
        object: 'conversation',
        id: conversation_id,
        agent_id: id,
        agent_version: agent_version ?? null,
        name: null,
        description: null,
        metadata: null,
        created_at: expect.any(String),
        updated_at: expect.any(String),
      });
    }
  });

  it('hands over on the server, in entries and events, and the next agent answers', async () => {
    const second = await agent({ name: 'Second', instructions: 'I am second.' });
    const first = await agent({ name: 'First', instructions: 'I am first.', handoffs: [second] });
    conversing.says({ calls: [handoff('Second', second)] }, { words: ['Mine now.'] });
    const response = await post(conversing.server, '/v1/conversations', {
      agent_id: first,
      inputs: 'Hi',
      stream: true,
    });
    const { events } = await readEvents(response);
    expect(events.map(({ event }) => event)).toEqual([
      'conversation.response.started',
      'agent.handoff.started',
      'agent.handoff.done',
      'message.output.delta',
      'conversation.response.done',
    ]);
    expect(events[1]?.data).toMatchObject({ output_index: 0, previous_agent_id: first, previous_agent_name: 'First' });
    expect(events[2]?.data).toMatchObject({ output_index: 0, next_agent_id: second, next_agent_name: 'Second' });
    expect(events[3]?.data).toMatchObject({ output_index: 1, agent_id: second, content: 'Mine now.' });
    expect(conversing.upstream.calls.at(-1)?.body.messages).toMatchObject([
      { role: 'system', content: 'I am second.' },
      { role: 'user', content: 'Hi' },
      { role: 'assistant', tool_calls: [{}] },
      { role: 'tool' },
    ]);
  });

  it('leaves the handover to a client that wants it', async () => {
    const second = await agent({ name: 'Second' });
    const first = await agent({ name: 'First', handoffs: [second] });
    conversing.says({ calls: [handoff('Second', second)] });
    const { body } = await call(conversing.server, '/v1/conversations', {
      body: { agent_id: first, inputs: 'Hi', handoff_execution: 'client' },
    });
    expect(body).toMatchObject({ outputs: [{ type: 'agent.handoff', next_agent_id: second }] });
  });

  it('ends a circle of handovers with an error entry and an answer', async () => {
    const first = await agent({ name: 'Ping' });
    const second = await agent({ name: 'Pong', handoffs: [first] });
    await call(conversing.server, `/v1/agents/${first}`, { method: 'PATCH', body: { handoffs: [second] } });
    conversing.says(
      ...Array.from({ length: 9 }, (_, n) => ({ calls: [n % 2 ? handoff('Ping', first) : handoff('Pong', second)] })),
      { words: ['Enough.'] },
    );
    const { body } = await call(conversing.server, '/v1/conversations', { body: { agent_id: first, inputs: 'Hi' } });
    const { outputs } = body as { outputs: Record<string, unknown>[] };
    expect(outputs.filter(({ type }) => type === 'agent.handoff')).toHaveLength(8);
    expect(outputs.at(-1)).toMatchObject({ type: 'message.output', content: 'Enough.' });
  });

  it.each([
    [{ agent_id: 'ag_0' }, 404],
    [{ agent_id: 'ag_0', instructions: 'Mine' }, 400],
  ])('refuses %j', async (given, status) => {
    const answer = await call(conversing.server, '/v1/conversations', { body: { inputs: 'Hi', ...given } });
    expect(answer.status).toBe(status);
  });
});
