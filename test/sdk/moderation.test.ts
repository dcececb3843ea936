import { fileURLToPath } from 'node:url';
import { Mistral } from '@mistralai/mistralai';
import { beforeAll, describe, expect, it } from 'vitest';
import { sqliteForTests } from '../support/databases.ts';
import { python } from '../support/python.ts';
import { runPython } from '../support/run-python.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { completion, json, startUpstream } from '../support/upstream.ts';

let server: TestServer;
beforeAll(async () => {
  const upstream = await startUpstream();
  upstream.answerWith(({ path, body }, response) => {
    if (path !== '/v1/moderations') return json(response, 200, completion('Hi.'));
    const results = (body.input as string[]).map((text) => {
      const violence_and_threats = text.includes('fight');
      return {
        categories: { violence_and_threats },
        category_scores: { violence_and_threats: Number(violence_and_threats) },
      };
    });
    json(response, 200, { results });
  });
  const model = { engine: 'upstream' as const, url: upstream.url };
  server = await startTestServer(sqliteForTests(), {
    file: {
      models: [
        { ...model, id: 'small' },
        { ...model, id: 'judge', capabilities: { moderation: true } },
      ],
    },
  });
});

const talk = [{ role: 'user' as const, content: 'hello' }];
const fight = [{ role: 'user' as const, content: 'Let us fight.' }];
const verdicts = [{ violence_and_threats: false }, { violence_and_threats: true }];

describe('the official TypeScript SDK', () => {
  let client: Mistral;
  beforeAll(() => {
    client = new Mistral({ serverURL: server.url, apiKey: server.key, retryConfig: { strategy: 'none' } });
  });

  it('moderates texts and conversations [MODERATIONS-CREATE] [MODERATIONS-CHAT]', async () => {
    const model = 'mistral-moderation-latest';
    const texts = await client.classifiers.moderate({ model, inputs: ['hello', 'Let us fight.'] });
    expect(texts.model).toBe('judge');
    expect(texts.results.map(({ categories }) => categories)).toEqual(verdicts);
    expect(texts.results[1]?.categoryScores).toEqual({ violence_and_threats: 1 });
    const one = await client.classifiers.moderateChat({ model, inputs: fight });
    expect(one.results.map(({ categories }) => categories)).toEqual([verdicts[1]]);
    const several = await client.classifiers.moderateChat({ model, inputs: [talk, fight] });
    expect(several.results.map(({ categories }) => categories)).toEqual(verdicts);
  });

  it('guards a chat, whole and as a stream [CHAT-GUARDRAILS]', async () => {
    const guardrails = [{ blockOnError: true, moderationLlmV2: { action: 'block' as const } }];
    const answer = await client.chat.complete({ model: 'small', messages: talk, guardrails });
    expect(answer.choices[0]?.message?.content).toBe('Hi.');
    await expect(client.chat.complete({ model: 'small', messages: fight, guardrails })).rejects.toMatchObject({
      statusCode: 403,
      body: expect.stringContaining('"violated":true'),
    });
    await expect(client.chat.stream({ model: 'small', messages: fight, guardrails })).rejects.toMatchObject({
      statusCode: 403,
    });
  });
});

it.runIf(python)('the official Python SDK moderates and is guarded', async () => {
  const script = fileURLToPath(new URL('./moderation.py', import.meta.url));
  const stdout = await runPython(script, [server.url, server.key]);
  expect(JSON.parse(stdout)).toMatchObject({
    model: 'judge',
    texts: verdicts,
    scores: [{ violence_and_threats: 0 }, { violence_and_threats: 1 }],
    chat: verdicts,
    answer: 'Hi.',
    blocked: {
      status: 403,
      body: {
        error: { status: 403 },
        guardrails: { results: { moderation_llm_v2: { violated: true, action: 'block' } } },
      },
    },
  });
});
