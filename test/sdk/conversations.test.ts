import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Mistral } from '@mistralai/mistralai';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Conversing, MODEL, startConversing } from '../../src/conversations/conversations-for-tests.ts';
import { sqliteForTests } from '../support/databases.ts';
import { inFull } from '../support/in-full.ts';
import { python } from '../support/python.ts';

let conversing: Conversing;
beforeAll(async () => {
  conversing = await startConversing(sqliteForTests());
});

const expected = {
  agent_version: 0,
  updated: 1,
  switched: 'Rhyme.',
  versions: [1, 0],
  version: 'Prose.',
  alias: 1,
  aliases: ['stable'],
  by_alias: 'Prose.',
  listed: true,
  paged: true,
  completed: 'Hello there',
  completed_stream: 'Hello there',
  started: 'Hello there',
  appended: 'Hello there',
  start_stream: 'Hello there',
  append_stream: 'Hello there',
  history: ['message.input', 'message.output', 'message.input', 'message.output', 'message.input', 'message.output'],
  messages: 6,
  restarted: true,
  restart_stream: 'Hello there',
  got: MODEL,
  found: true,
  gone: 404,
  handed_over: [
    'conversation.response.started',
    'agent.handoff.started',
    'agent.handoff.done',
    'message.output.delta',
    'conversation.response.done',
  ],
  called: ['function.call', 'weather'],
  answered: 'Sunny.',
};

/** A handoff to the agent, its reply, a function call and the reply to its result. */
const script = (agentId: string) => [
  { calls: [{ name: `handoff_to_Poet_${agentId.slice(-8)}`, arguments: {} }] },
  { words: ['Mine.'] },
  { calls: [{ name: 'weather', arguments: {} }] },
  { words: ['Sunny.'] },
];

describe('agents and conversations in the official SDKs', () => {
  it('work in the TypeScript SDK, every operation and stream', async () => {
    const { url, key } = conversing.server;
    const mistral = new Mistral({ serverURL: url, apiKey: key });
    const { agents, conversations } = mistral.beta;
    const text = async (stream: AsyncIterable<{ event: string; data: unknown }>) => {
      let said = '';
      for await (const { event, data } of stream)
        if (event === 'message.output.delta') said += (data as { content: string }).content;
      return said;
    };
    const seen: Record<string, unknown> = {};
    const { id: agentId, version } = await agents.create({ model: MODEL, name: 'Poet', instructions: 'Rhyme.' });
    seen.agent_version = version;
    const updateAgentRequest = { instructions: 'Prose.' };
    seen.updated = (await agents.update({ agentId, updateAgentRequest })).version;
    seen.switched = (await agents.updateVersion({ agentId, version: 0 })).instructions;
    seen.versions = (await agents.listVersions({ agentId })).map((agent) => agent.version);
    seen.version = (await agents.getVersion({ agentId, version: '1' })).instructions;
    seen.alias = (await agents.createVersionAlias({ agentId, alias: 'stable', version: 1 })).version;
    seen.aliases = (await agents.listVersionAliases({ agentId })).map(({ alias }) => alias);
    seen.by_alias = (await agents.get({ agentId, agentVersion: 'stable' })).instructions;
    await agents.deleteVersionAlias({ agentId, alias: 'stable' });
    seen.listed = (await agents.list()).some(({ id }) => id === agentId);
    seen.paged = (await agents.listPages()).result.data.some(({ id }) => id === agentId);
    const completed = await mistral.agents.complete({ agentId, messages: [{ role: 'user', content: 'Hi' }] });
    seen.completed = completed.choices[0]?.message?.content;
    seen.completed_stream = '';
    for await (const { data } of await mistral.agents.stream({ agentId, messages: [{ role: 'user', content: 'Hi' }] }))
      seen.completed_stream += String(data.choices[0]?.delta.content ?? '');

    const started = await conversations.start({ model: MODEL, inputs: 'Hi', metadata: { team: 'green' } });
    const { conversationId } = started;
    const said = (response: typeof started) => (response.outputs[0] as { content: unknown }).content;
    seen.started = said(started);
    const more = { inputs: [{ role: 'user' as const, content: 'More' }] };
    seen.appended = said(await conversations.append({ conversationId, conversationAppendRequest: more }));
    seen.start_stream = await text(await conversations.startStream({ agentId, inputs: 'Hi' }));
    const again = { conversationId, conversationAppendStreamRequest: { inputs: 'Again' } };
    seen.append_stream = await text(await conversations.appendStream(again));
    const { entries } = await conversations.getHistory({ conversationId });
    seen.history = entries.map(({ type }) => type);
    seen.messages = (await conversations.getMessages({ conversationId })).messages.length;
    const from = { fromEntryId: entries[1]?.id ?? '', inputs: 'Otherwise' };
    const restarted = await conversations.restart({ conversationId, conversationRestartRequest: from });
    seen.restarted = restarted.conversationId !== conversationId;
    const restart = { conversationId, conversationRestartStreamRequest: from };
    seen.restart_stream = await text(await conversations.restartStream(restart));
    seen.got = ((await conversations.get({ conversationId })) as { model?: string }).model;
    const found = await conversations.list({ metadata: { team: 'green' } });
    seen.found = found.at(-1)?.id === conversationId;
    await conversations.delete({ conversationId });
    seen.gone = await conversations.get({ conversationId }).catch((error: { statusCode: number }) => error.statusCode);

    const first = await agents.create({ model: MODEL, name: 'First', handoffs: [agentId] });
    conversing.says(...script(agentId));
    seen.handed_over = [];
    for await (const { event } of await conversations.startStream({ agentId: first.id, inputs: 'Hi' }))
      (seen.handed_over as string[]).push(event);
    const weather = { type: 'function' as const, function: { name: 'weather', parameters: { type: 'object' } } };
    const asked = await conversations.start({ model: MODEL, inputs: 'Weather?', tools: [weather] });
    const [called] = asked.outputs as { type: string; name: string; toolCallId: string }[];
    seen.called = [called?.type, called?.name];
    const inputs = [{ type: 'function.result' as const, toolCallId: called?.toolCallId ?? '', result: 'sun' }];
    seen.answered = said(
      await conversations.append({ conversationId: asked.conversationId, conversationAppendRequest: { inputs } }),
    );
    await agents.delete({ agentId });
    expect(seen).toEqual(expected);
  });

  inFull.given(python).it('work in the Python SDK, every operation and stream', { timeout: 60_000 }, async () => {
    const { url, key } = conversing.server;
    const file = fileURLToPath(new URL('./conversations.py', import.meta.url));
    const running = promisify(execFile)(python ?? '', [file, url, key, MODEL]);
    // The name of the handoff contains the agent's id, which is known once the script has printed it.
    running.child.stdout?.once('data', (id) => {
      conversing.says(...script(String(id).trim()));
      running.child.stdin?.end('go\n');
    });
    const { stdout } = await running;
    expect(JSON.parse(stdout.split('\n')[1] ?? '')).toEqual({
      ...expected,
      async_stream: 'Hello there',
    });
  });
});
