import { Mistral } from '@mistralai/mistralai';
import { beforeAll, expect, it } from 'vitest';
import { onEachDatabase } from './support/databases.ts';
import { startTestServer, type TestServer } from './support/server.ts';
import { type ScriptedUpstream, startUpstream } from './support/upstream.ts';

onEachDatabase('the official SDK', (database) => {
  let server: TestServer;
  let upstream: ScriptedUpstream;
  beforeAll(async () => {
    upstream = await startUpstream();
    server = await startTestServer(database, {
      file: {
        models: [
          {
            id: 'small',
            engine: 'upstream',
            url: upstream.url,
            api_key: 'upstream-secret',
            upstream_model: 'qwen3-8b',
          },
        ],
      },
    });
  });

  const clientWith = (apiKey: string) =>
    new Mistral({ serverURL: server.url, apiKey, retryConfig: { strategy: 'none' } });
  const ask = (apiKey: string) =>
    clientWith(apiKey).chat.complete({ model: 'small', messages: [{ role: 'user', content: 'hello' }] });

  it('gets an answer from the configured upstream', async () => {
    const answer = await ask(server.key);
    expect(answer.choices[0]?.message?.content).toBe('You said: hello');
    expect(answer.usage).toMatchObject({ promptTokens: 7, completionTokens: 3, totalTokens: 10 });
    expect(upstream.calls.at(-1)).toMatchObject({
      path: '/v1/chat/completions',
      headers: { authorization: 'Bearer upstream-secret' },
      body: { model: 'qwen3-8b', messages: [{ role: 'user', content: 'hello' }] },
    });
  });

  it('is refused with a key that does not exist, and nothing reaches the upstream [AUTH-UNKNOWN]', async () => {
    const before = upstream.calls.length;
    await expect(ask('wrong-key')).rejects.toMatchObject({ statusCode: 401, body: '{"detail":"Unauthorized"}' });
    expect(upstream.calls).toHaveLength(before);
  });

  it('lists the configured models', async () => {
    const { data } = await clientWith(server.key).models.list();
    // Before its other names.
    expect(data?.[0]).toMatchObject({ id: 'small' });
  });
});
