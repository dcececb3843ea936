import { expect, it } from 'vitest';
import { draftOf, emptyDraft, listOf, settingsOf, suggestId, weightsSettingsOf } from './model-draft.ts';
import type { ManagedModel } from './queries.ts';

const stored: ManagedModel = {
  ...{ id: 'gpt', source: 'database', engine: 'upstream', aliases: ['fast', 'best'], name: null, description: null },
  ...{ kind: 'chat', capabilities: { vision: true }, default_temperature: null, price: { prompt: 2, completion: 8 } },
  ...{ limits: { requests_per_minute: 60, tokens_per_minute: null }, adapter: null },
  ...{ max_context_length: 8192, timeout_seconds: 60, private_network: false, weights: null, sequences: null },
  targets: [
    { url: 'https://api.openai.com/v1', upstream_model: 'gpt-5', has_api_key: true },
    { url: 'https://other.test/v1', upstream_model: null, has_api_key: false },
  ],
  ...{ problem: null, updated_at: null },
};

it('a stored model that is opened and saved unchanged keeps its keys and settings', () => {
  expect(settingsOf(draftOf(stored))).toEqual({
    ...{ engine: 'upstream', id: 'gpt', aliases: ['fast', 'best'], kind: 'chat', private_network: false },
    capabilities: { function_calling: false, vision: true, audio: false, reasoning: false },
    ...{ url: 'https://api.openai.com/v1', upstream_model: 'gpt-5' },
    fallbacks: [{ url: 'https://other.test/v1', api_key: null }],
    ...{ price: { prompt: 2, completion: 8 }, max_context_length: 8192, timeout_seconds: 60 },
    limits: { requests_per_minute: 60, tokens_per_minute: null },
  });
});

it('fields that were left empty are left out, and a typed key is sent', () => {
  const [target] = emptyDraft.targets;
  const draft = { ...emptyDraft, id: ' mine ', kind: 'embeddings' as const };
  expect(settingsOf({ ...draft, targets: [{ ...target, url: 'http://x/v1', apiKey: ' k ' } as never] })).toEqual({
    ...{ engine: 'upstream', id: 'mine', aliases: [], kind: 'embeddings', private_network: false },
    ...{ url: 'http://x/v1', api_key: 'k', fallbacks: [], price: { prompt: 0, completion: 0 } },
    limits: { requests_per_minute: null, tokens_per_minute: null },
  });
});

it('weights that are changed keep what the form does not show', () => {
  const model = {
    ...stored,
    engine: 'llama',
    targets: [],
    weights: 'tiny',
    adapter: 'owner/name:a.gguf',
    sequences: 2,
  };
  expect(weightsSettingsOf(model, draftOf(model))).toEqual({
    ...{ engine: 'llama', id: 'gpt', aliases: ['fast', 'best'], kind: 'chat', weights: 'tiny', sequences: 2 },
    ...{ adapter: 'owner/name:a.gguf', context: 8192, price: { prompt: 2, completion: 8 } },
    limits: { requests_per_minute: 60, tokens_per_minute: null },
  });
});

it('aliases are read from one line', () => {
  expect(listOf('a, b  c,,a')).toEqual(['a', 'b', 'c']);
});

it('an id is suggested from the name on the other server', () => {
  expect(suggestId('mistralai/mistral-small:latest')).toBe('mistral-small');
  expect(suggestId('llama3.2:3b')).toBe('llama3.2:3b');
});
