import { fileURLToPath } from 'node:url';
import { Mistral } from '@mistralai/mistralai';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Conversing, MODEL, startConversing } from '../../src/conversations/conversations-for-tests.ts';
import { sqliteForTests } from '../support/databases.ts';
import { startFakeMcp } from '../support/mcp-server.ts';
import { python } from '../support/python.ts';
import { runPython } from '../support/run-python.ts';

let conversing: Conversing;
beforeAll(async () => {
  const wiki = await startFakeMcp();
  conversing = await startConversing(sqliteForTests(), { connectors: [{ id: 'wiki', url: wiki.url }] });
});
const echo = { name: 'echo', arguments: { text: 'salut' }, id: 'abcdefgh1' };
beforeEach(() => conversing.says({ calls: [echo] }, { words: ['Done.'] }, { calls: [echo] }, { words: ['Done.'] }));

const executed = [
  'conversation.response.started',
  'tool.execution.started',
  'tool.execution.done',
  'message.output.delta',
  'conversation.response.done',
];
const expected = {
  pending: ['function.call', 'echo', 'pending'],
  shown: ['connector', 'wiki', 'echo', '********'],
  confirmed: executed,
  execution: ['echo', 'wiki', 'You said salut'],
  message: 'Done.',
  agent: executed,
  skills: ['tides'],
};

describe('connectors in the official SDKs', () => {
  it('are named, confirmed and read in the TypeScript SDK, whole and as a stream', async () => {
    const { url, key } = conversing.server;
    const { agents, conversations } = new Mistral({ serverURL: url, apiKey: key }).beta;
    const tool = { type: 'connector' as const, connectorId: 'wiki' };
    const authorization = { type: 'oauth2-token' as const, value: 'my-own-token' };
    const toolConfiguration = { requiresConfirmation: ['echo'] };
    const tools = [{ ...tool, authorization, toolConfiguration }];
    const seen: Record<string, unknown> = {};
    const { conversationId, outputs } = await conversations.start({ model: MODEL, inputs: 'Hi', tools });
    const [pending] = outputs as { type: string; name: string; toolCallId: string; confirmationStatus: string }[];
    seen.pending = [pending?.type, pending?.name, pending?.confirmationStatus];
    const got = (await conversations.get({ conversationId })) as { tools: typeof tools };
    const shown = got.tools[0];
    seen.shown = [
      shown?.type,
      shown?.connectorId,
      ...(shown?.toolConfiguration.requiresConfirmation ?? []),
      shown?.authorization.value,
    ];
    const toolConfirmations = [{ toolCallId: pending?.toolCallId ?? '', confirmation: 'allow' as const }];
    const confirmed = await conversations.appendStream({
      conversationId,
      conversationAppendStreamRequest: { toolConfirmations },
    });
    seen.confirmed = [];
    for await (const { event } of confirmed) (seen.confirmed as string[]).push(event);
    const { entries } = await conversations.getHistory({ conversationId });
    const [execution] = entries.flatMap((entry) => (entry.type === 'tool.execution' ? [entry] : []));
    seen.execution = [execution?.name, execution?.info?.connector_id, execution?.info?.content[0]?.text];
    seen.message = (entries.at(-1) as { content: string }).content;

    const skills = ['tides'];
    const agent = await agents.create({ model: MODEL, name: 'Clerk', tools: [tool], metadata: { skills: [] } });
    seen.agent = [];
    for await (const { event } of await conversations.startStream({ agentId: agent.id, inputs: 'Hi' }))
      (seen.agent as string[]).push(event);
    const updateAgentRequest = { metadata: { skills } };
    seen.skills = (await agents.update({ agentId: agent.id, updateAgentRequest })).metadata?.skills;
    expect(seen).toEqual(expected);
  });

  it.runIf(python)('and in the Python SDK', { timeout: 60_000 }, async () => {
    const { url, key } = conversing.server;
    const script = fileURLToPath(new URL('./connectors.py', import.meta.url));
    const stdout = await runPython(script, [url, key, MODEL]);
    expect(JSON.parse(stdout)).toEqual(expected);
  });
});
