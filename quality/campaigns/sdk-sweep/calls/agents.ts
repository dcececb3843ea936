import { deepEqual, equal, notEqual, ok } from 'node:assert/strict';
import { collect } from '../collect.ts';
import type { Chapter } from '../platform.ts';

const messages = [{ role: 'user' as const, content: 'Hi' }];

export const agents: Chapter = async ({ agents: completions, beta: { agents: room } }) => {
  const { id: agentId } = await room.create({ model: 'small', name: 'Poet', instructions: 'Rhyme.' });
  equal((await room.update({ agentId, updateAgentRequest: { instructions: 'Prose.' } })).version, 1);
  equal((await room.updateVersion({ agentId, version: 0 })).instructions, 'Rhyme.');
  equal((await room.listVersions({ agentId })).length, 2);
  equal((await room.getVersion({ agentId, version: '1' })).instructions, 'Prose.');
  equal((await room.createVersionAlias({ agentId, alias: 'stable', version: 1 })).version, 1);
  deepEqual(
    (await room.listVersionAliases({ agentId })).map(({ alias }) => alias),
    ['stable'],
  );
  equal((await room.get({ agentId, agentVersion: 'stable' })).version, 1);
  await room.deleteVersionAlias({ agentId, alias: 'stable' });
  ok((await room.list()).some(({ id }) => id === agentId));
  const pages = await collect(await room.listPages({ pageSize: 1 }));
  ok(pages.flatMap(({ result }) => result.data).some(({ id }) => id === agentId));
  equal((await completions.complete({ agentId, messages })).choices[0]?.message?.content, 'Hello there');
  const chunks = await collect(await completions.stream({ agentId, messages }));
  equal(chunks.at(-1)?.data.choices[0]?.finishReason, 'stop');
  await room.delete({ agentId });
};

export const conversations: Chapter = async ({ beta: { conversations: room } }) => {
  const started = await room.start({ model: 'small', inputs: 'Hi', metadata: { team: 'green' } });
  const { conversationId } = started;
  equal((started.outputs[0] as { content?: unknown }).content, 'Hello there');
  const appended = { conversationId, conversationAppendRequest: { inputs: messages } };
  equal((await room.append(appended)).conversationId, conversationId);
  const streams = [
    await room.startStream({ model: 'small', inputs: 'Hi' }),
    await room.appendStream({ conversationId, conversationAppendStreamRequest: { inputs: 'Again' } }),
  ];
  const { entries } = await room.getHistory({ conversationId });
  const from = { fromEntryId: entries[1]?.id ?? '', inputs: 'Otherwise' };
  notEqual((await room.restart({ conversationId, conversationRestartRequest: from })).conversationId, conversationId);
  streams.push(await room.restartStream({ conversationId, conversationRestartStreamRequest: from }));
  for (const stream of streams) {
    const events = (await collect(stream)).map(({ event }) => event);
    deepEqual([events[0], events.at(-1)], ['conversation.response.started', 'conversation.response.done']);
  }
  ok((await room.getMessages({ conversationId })).messages.length >= 4);
  equal((await room.get({ conversationId })).id, conversationId);
  ok((await room.list({ metadata: { team: 'green' } })).some(({ id }) => id === conversationId));
  await room.delete({ conversationId });
};
