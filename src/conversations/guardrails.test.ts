import { beforeAll, expect, it } from 'vitest';
import { call } from '../../test/support/call.ts';
import { onSqliteFirst } from '../../test/support/databases.ts';
import { json, startUpstream } from '../../test/support/upstream.ts';
import { type Conversing, MODEL, post, startConversing } from './conversations-for-tests.ts';

const guardrails = [{ moderation_llm_v2: { model_name: 'judge', action: 'block' } }];

onSqliteFirst('guardrails on conversations and agents', (database) => {
  let conversing: Conversing;
  beforeAll(async () => {
    const judge = await startUpstream();
    // Whatever mentions a fight is violent, and nothing else is.
    judge.answerWith(({ body }, response) =>
      json(response, 200, {
        results: (body.input as string[]).map((text) => ({
          categories: { violence_and_threats: text.includes('fight') },
          category_scores: { violence_and_threats: text.includes('fight') ? 0.9 : 0.1 },
        })),
        usage: { prompt_tokens: 5 },
      }),
    );
    conversing = await startConversing(database, {}, [
      { id: 'judge', engine: 'upstream', url: judge.url, capabilities: { moderation: true } },
    ]);
  });
  const path = '/v1/conversations';
  const send = (at: string, body: unknown) => call(conversing.server, at, { body });
  const count = async () => ((await call(conversing.server, `${path}?page_size=1000`)).body as unknown[]).length;

  it('let harmless input pass, and the answer shows what they found [CONVERSATIONS-GUARDRAILS]', async () => {
    const { body } = await send(path, { model: MODEL, inputs: 'Hello', guardrails });
    expect(body).toMatchObject({
      outputs: [{ type: 'message.output' }],
      guardrails: [{ moderation_llm_v2: { categories: { violence_and_threats: { score: 0.1, violated: false } } } }],
    });
    const { conversation_id } = body as { conversation_id: string };
    expect((await call(conversing.server, `${path}/${conversation_id}`)).body).toMatchObject({
      guardrails: [{ moderation_llm_v2: { action: 'block' } }],
    });
  });

  it('block with 403, whole or streamed, and nothing is stored [CONVERSATIONS-GUARDRAILS-BLOCK]', async () => {
    const [before, asked] = [await count(), conversing.upstream.calls.length];
    const blocked = await send(path, { model: MODEL, inputs: 'Let us fight', guardrails });
    expect(blocked.status).toBe(403);
    const streamed = await post(conversing.server, path, { model: MODEL, inputs: 'A fight', guardrails, stream: true });
    expect(streamed.status).toBe(403);
    expect(await count()).toBe(before);
    expect(conversing.upstream.calls).toHaveLength(asked);
  });

  it('hold for what is appended later, which is then not kept', async () => {
    const { conversation_id } = (await send(path, { model: MODEL, inputs: 'Hi', guardrails })).body as {
      conversation_id: string;
    };
    expect((await send(`${path}/${conversation_id}`, { inputs: 'fight me' })).status).toBe(403);
    const { body } = await call(conversing.server, `${path}/${conversation_id}/history`);
    expect((body as { entries: unknown[] }).entries).toHaveLength(2);
    expect((await send(`${path}/${conversation_id}`, { inputs: 'be nice' })).status).toBe(200);
  });

  it('are an agent’s own, and a request may bring others [AGENTS-GUARDRAILS]', async () => {
    const { id } = (await send('/v1/agents', { model: MODEL, name: 'Guarded', guardrails })).body as { id: string };
    expect((await send(path, { agent_id: id, inputs: 'fight' })).status).toBe(403);
    expect((await send(path, { agent_id: id, inputs: 'fight', guardrails: [] })).status).toBe(200);
    const completion = { agent_id: id, messages: [{ role: 'user', content: 'fight' }] };
    expect((await send('/v1/agents/completions', completion)).status).toBe(403);
  });
});
