import { expect, it } from 'vitest';
import { createLog } from '../kit/base/log.ts';
import type { Meter } from '../metering/index.ts';
import type { Judgement, Model } from '../models/index.ts';
import { createGuardrailService } from './service.ts';

const quiet: Judgement = { scores: { pii: 0 }, flags: { pii: false } };
const guardrail = { block_on_error: true, moderation_llm_v2: config('judge') };

function config(model_name: string) {
  return { model_name, ignore_other_categories: false, action: 'block' as const };
}

/** A judge that only the workspace `mine` can see. */
function serve(options: { meter?: Meter; moderate?: () => Promise<never> } = {}) {
  const model = {
    id: 'judge',
    capabilities: { moderation: true },
    deprecation: null,
    engine: { moderate: options.moderate ?? (async () => ({ judgements: [quiet], promptTokens: 3 })) },
  } as unknown as Model;
  const { meter } = options;
  return createGuardrailService({
    models: { find: (name, workspace) => (name === 'judge' && workspace === 'mine' ? model : undefined) },
    now: Date.now,
    log: createLog('silent'),
    meter,
  });
}

function callOf(workspace_id: string) {
  return {
    scope: { workspace_id } as never,
    requestId: 'r',
    signal: new AbortController().signal,
    setHeader: () => undefined,
  };
}

it("another workspace's model looks exactly like a missing one", async () => {
  const service = serve();
  await expect(service.moderate(callOf('mine'), 'judge', ['a'])).resolves.toMatchObject({ model: 'judge' });
  const refusals = [
    [service.moderate(callOf('other'), 'judge', ['a']), service.moderate(callOf('mine'), 'nobody', ['a'])],
    [
      service.check(callOf('other'), [guardrail], ['a']),
      service.check(callOf('mine'), [{ block_on_error: true, moderation_llm_v2: config('nobody') }], ['a']),
    ],
  ] as const;
  for (const [theirs, missing] of refusals) {
    const [a, b] = await Promise.all([theirs, missing].map((attempt) => attempt.catch((error: unknown) => error)));
    const messageOf = (error: unknown) => (error as Error).message.replace(/judge|nobody/g, 'MODEL');
    expect(messageOf(a)).toContain('MODEL');
    expect(messageOf(a)).toBe(messageOf(b));
    expect(a).toMatchObject({ status: 400, type: 'invalid_model', wireCode: '1500' });
    expect(b).toMatchObject({ status: 400, type: 'invalid_model', wireCode: '1500' });
  }
});

it('a check is a part of its request for the limits, a moderation is a request of its own', async () => {
  const reserved: unknown[] = [];
  const meter: Meter = {
    reserve(_scope, request) {
      reserved.push(request);
      return { settle: () => undefined };
    },
  };
  const service = serve({ meter });
  await service.check(callOf('mine'), [guardrail], ['abcdefgh']);
  await service.moderate(callOf('mine'), 'judge', ['abcdefgh']);
  expect(reserved).toMatchObject([
    { model: 'judge', estimatedTokens: 2, isPart: true },
    { model: 'judge', estimatedTokens: 2, isPart: false },
  ]);
});

it('a mistake of our own is no failed check: nothing passes because of it', async () => {
  const service = serve({ moderate: () => Promise.reject(new TypeError('a bug')) });
  const lenient = { ...guardrail, block_on_error: false };
  await expect(service.check(callOf('mine'), [lenient], ['a'])).rejects.toThrow(TypeError);
});
