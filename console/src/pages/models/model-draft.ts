import type { ManagedModel, ModelSettings } from '../../../../src/model-settings/schema.ts';

export type TargetDraft = { url: string; apiKey: string; hasKey: boolean; upstreamModel: string };

/** What the form of a model server holds: texts as they were typed. */
export type ModelDraft = {
  preset: string;
  privateNetwork: boolean;
  /** Its server, then those that are tried when it fails. */
  targets: TargetDraft[];
  id: string;
  aliases: string;
  name: string;
  description: string;
  kind: Kind;
  capabilities: Record<Capability, boolean>;
  context: string;
  pricePrompt: string;
  priceCompletion: string;
  timeout: string;
  temperature: string;
  requestsPerMinute: string;
  tokensPerMinute: string;
};

type Upstream = Extract<ModelSettings, { engine: 'upstream' }>;
type Kind = Upstream['kind'];

export const kinds: { value: Kind; label: string }[] = [
  { value: 'chat', label: 'Chat' },
  { value: 'code', label: 'Code (chat and fill-in-the-middle)' },
  { value: 'embeddings', label: 'Embeddings' },
  { value: 'reranking', label: 'Reranking' },
  { value: 'moderation', label: 'Moderation' },
  { value: 'ocr', label: 'OCR' },
  { value: 'speech', label: 'Speech' },
  { value: 'transcription', label: 'Transcription' },
];

export const capabilities = {
  function_calling: 'Calls tools',
  vision: 'Reads images',
  audio: 'Hears audio',
  reasoning: 'Shows its reasoning',
} as const;
export type Capability = keyof typeof capabilities;

export const emptyTarget: TargetDraft = { url: '', apiKey: '', hasKey: false, upstreamModel: '' };

export const emptyDraft: ModelDraft = {
  ...{ preset: '', privateNetwork: false, targets: [emptyTarget], id: '', aliases: '', name: '', description: '' },
  ...{ kind: 'chat', context: '', pricePrompt: '', priceCompletion: '', timeout: '', temperature: '' },
  ...{ requestsPerMinute: '', tokensPerMinute: '' },
  capabilities: { function_calling: true, vision: false, audio: false, reasoning: false },
};

export function draftOf(model: ManagedModel): ModelDraft {
  const text = (value: number | null) => (value === null || value === 0 ? '' : String(value));
  const can = (name: Capability) => model.capabilities[name] === true;
  return {
    preset: 'compatible',
    privateNetwork: model.private_network,
    targets: model.targets.map(({ url, upstream_model, has_api_key }) => ({
      ...{ url, apiKey: '', hasKey: has_api_key, upstreamModel: upstream_model ?? '' },
    })),
    id: model.id,
    aliases: model.aliases.join(', '),
    name: model.name ?? '',
    description: model.description ?? '',
    kind: (model.kind ?? 'chat') as Kind,
    capabilities: {
      ...{ function_calling: can('function_calling'), vision: can('vision') },
      ...{ audio: can('audio'), reasoning: can('reasoning') },
    },
    context: text(model.max_context_length),
    pricePrompt: text(model.price.prompt),
    priceCompletion: text(model.price.completion),
    timeout: text(model.timeout_seconds),
    temperature: text(model.default_temperature),
    requestsPerMinute: text(model.limits.requests_per_minute),
    tokensPerMinute: text(model.limits.tokens_per_minute),
  };
}

/** What is sent. A key that was not typed is left out, so that the stored one stays. */
export function settingsOf(draft: ModelDraft): Record<string, unknown> {
  const [main = emptyTarget, ...fallbacks] = draft.targets.map(toTarget);
  const isChat = draft.kind === 'chat' || draft.kind === 'code';
  return {
    engine: 'upstream',
    ...commonOf(draft),
    kind: draft.kind,
    ...(isChat && { capabilities: draft.capabilities }),
    private_network: draft.privateNetwork,
    ...main,
    fallbacks,
    ...(Number(draft.context) > 0 && { max_context_length: Math.round(Number(draft.context)) }),
    ...(Number(draft.timeout) > 0 && { timeout_seconds: Number(draft.timeout) }),
  };
}

/** What is sent for weights that this server runs: the weights and their adapter stay as they are. */
export function weightsSettingsOf(model: ManagedModel, draft: ModelDraft): Record<string, unknown> {
  const { engine, weights, adapter, sequences, kind } = model;
  return {
    ...{ engine, weights, ...commonOf(draft), ...(kind && { kind }) },
    ...(engine === 'llama' && { adapter, sequences }),
    ...(engine === 'llama' && Number(draft.context) > 0 && { context: Number(draft.context) }),
  };
}

function commonOf(draft: ModelDraft) {
  const limit = (text: string) => (text.trim() === '' ? null : Number(text));
  return {
    id: draft.id.trim(),
    aliases: listOf(draft.aliases),
    ...(draft.name.trim() && { name: draft.name.trim() }),
    ...(draft.description.trim() && { description: draft.description.trim() }),
    price: { prompt: Number(draft.pricePrompt) || 0, completion: Number(draft.priceCompletion) || 0 },
    limits: {
      requests_per_minute: limit(draft.requestsPerMinute),
      tokens_per_minute: limit(draft.tokensPerMinute),
    },
    ...(draft.temperature.trim() && { default_temperature: Number(draft.temperature) }),
  };
}

function toTarget({ url, apiKey, hasKey, upstreamModel }: TargetDraft) {
  return {
    url: url.trim(),
    ...(upstreamModel.trim() && { upstream_model: upstreamModel.trim() }),
    ...(apiKey.trim() ? { api_key: apiKey.trim() } : hasKey ? {} : { api_key: null }),
  };
}

/** Names in one line, as people write them. */
export function listOf(text: string): string[] {
  return [...new Set(text.split(/[\s,]+/).filter(Boolean))];
}

/** What a name on their server becomes here: its last part, without a tag that means the newest. */
export function suggestId(upstreamModel: string): string {
  const last = upstreamModel.split('/').at(-1) ?? '';
  return last.replace(/:latest$/, '').replace(/\.gguf$/i, '');
}
