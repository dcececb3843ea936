import { deepEqual, equal, ok } from 'node:assert/strict';
import { z } from 'zod';
import { collect } from '../collect.ts';
import type { Chapter } from '../platform.ts';

const messages = [{ role: 'user' as const, content: 'Hi' }];

export const chat: Chapter = async ({ chat: room, fim }) => {
  const answer = await room.complete({ model: 'small', messages, temperature: 0, maxTokens: 40, n: 1, stop: ['END'] });
  equal(answer.choices[0]?.message?.content, 'Hello there');
  const stream = await room.stream({ model: 'small', messages });
  equal((await collect(stream)).map(({ data }) => data.choices[0]?.delta.content ?? '').join(''), 'Hello there');
  const responseFormat = z.object({ name: z.string(), age: z.int() }) as never;
  const parsed = await room.parse({ model: 'small', messages, responseFormat });
  deepEqual(parsed.choices?.[0]?.message?.parsed, { name: 'Ada', age: 36 });
  const pieces = await collect(await room.parseStream({ model: 'small', messages, responseFormat }));
  equal(pieces.map(({ data }) => data.choices[0]?.delta.content ?? '').join(''), '{"name":"Ada","age":36}');

  const middle = { model: 'small', prompt: 'def add(a, b):\n', suffix: '\nprint(add(1, 2))', maxTokens: 16 };
  equal((await fim.complete(middle)).choices[0]?.message?.content, 'Hello there');
  equal((await collect(await fim.stream(middle))).at(-1)?.data.choices[0]?.finishReason, 'stop');
};

export const embeddings: Chapter = async ({ embeddings: room }) => {
  const vectors = await room.create({ model: 'vectors', inputs: ['one', 'two'], outputDimension: 8 });
  deepEqual(
    vectors.data.map(({ embedding }) => embedding?.length),
    [8, 8],
  );
};

export const moderation: Chapter = async ({ classifiers }) => {
  const texts = await classifiers.moderate({ model: 'judge', inputs: ['hello', 'you'] });
  equal(texts.results.length, 2);
  const conversations = await classifiers.moderateChat({ model: 'judge', inputs: [messages, messages] });
  equal(conversations.results.length, 2);
  const classified = await classifiers.classify({ model: 'labels', inputs: ['hello', 'you'] });
  equal(classified.results[1]?.topic?.scores.billing, 0.9);
  const chats = await classifiers.classifyChat({ model: 'labels', input: [{ messages }] });
  equal(chats.results.length, 1);
};

export const models: Chapter = async ({ models: room }, platform) => {
  const modelId = await platform.registerTuned();
  ok((await room.list()).data?.some((card) => 'id' in card && card.id === modelId));
  equal((await room.retrieve({ modelId })).type, 'fine-tuned');
  equal('id' in (await room.update({ modelId, updateModelRequest: { name: 'New' } })), true);
  equal((await room.archive({ modelId })).archived, true);
  equal((await room.unarchive({ modelId })).archived, false);
  equal((await room.delete({ modelId })).deleted, true);
};
