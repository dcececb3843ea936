import { z } from 'zod';

const NAME_MAX = 128;
const ALIASES_MAX = 50;
const FALLBACKS_MAX = 8;
const KEY_MAX = 4096;
const WEIGHTS_MAX = 410;

/** Slashes and colons are in the names that other servers give their models. */
const ModelName = z
  .string()
  .max(NAME_MAX)
  .regex(/^[A-Za-z0-9][A-Za-z0-9._:/@+-]{0,127}$/, 'Use up to 128 letters, digits and . _ - : / @ +')
  .refine((name) => !name.startsWith('ft:'), 'Names that begin with ft: are those of fine-tuned models');

const Capabilities = z.strictObject({
  function_calling: z.boolean().optional(),
  reasoning: z.boolean().optional(),
  completion_fim: z.boolean().optional(),
  vision: z.boolean().optional(),
  audio: z.boolean().optional(),
});

const Price = z.strictObject({
  /** Per million tokens. */
  prompt: z.number().min(0).max(1_000_000).default(0),
  completion: z.number().min(0).max(1_000_000).default(0),
});

/** What it takes in a minute from all callers together; left out or null: no limit. */
const Limits = z.strictObject({
  requests_per_minute: z.int().min(1).max(1_000_000_000).nullish(),
  tokens_per_minute: z.int().min(1).max(1_000_000_000_000).nullish(),
});

const common = {
  id: ModelName,
  aliases: z.array(ModelName).max(ALIASES_MAX).default([]),
  name: z.string().min(1).max(NAME_MAX).nullish(),
  description: z.string().max(2000).nullish(),
  default_temperature: z.number().min(0).max(1.5).nullish(),
  price: Price.prefault({}),
  limits: Limits.prefault({}),
};

/** A password in it would be stored as it is. */
const Address = z
  .url({ protocol: /^https?$/, error: 'Use an http or https address' })
  .max(2000)
  .refine((url) => URL.parse(url)?.password === '' && URL.parse(url)?.username === '', {
    error: 'Give the key as api_key, not in the address',
  });
/** Left out, the key that is stored for this server stays; null removes it. */
const ApiKey = z.string().min(1).max(KEY_MAX).nullish();

const Target = { url: Address, upstream_model: z.string().min(1).max(255).nullish() };

const upstream = {
  ...common,
  ...Target,
  engine: z.literal('upstream'),
  timeout_seconds: z.number().positive().max(3600).default(300),
  max_context_length: z.int().min(1).max(100_000_000).default(32_768),
  kind: z.enum(['chat', 'code', 'embeddings', 'moderation', 'ocr', 'reranking', 'speech', 'transcription']),
  capabilities: Capabilities.prefault({}),
  /** Whether its servers may have addresses of this machine or of a private network. */
  private_network: z.boolean().default(false),
};

const UpstreamSettings = z.strictObject({
  ...upstream,
  api_key: ApiKey,
  /** Other servers for the same model, tried in this order when the ones before fail. */
  fallbacks: z
    .array(z.strictObject({ ...Target, api_key: ApiKey }))
    .max(FALLBACKS_MAX)
    .default([]),
});

const Weights = z
  .string()
  .max(WEIGHTS_MAX)
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._-]{0,200}$|^[\w.-]{1,100}\/[\w.-]{1,100}:[\w.-]{1,200}\.gguf$/,
    'Use a name of the catalogue, installed weights, or owner/name:file.gguf of Hugging Face',
  );

const HF_ADAPTER = /^[\w.-]{1,100}\/[\w.-]{1,100}:[\w.-]{1,200}\.gguf$/;
const UPLOADED = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const LlamaSettings = z.strictObject({
  ...common,
  engine: z.literal('llama'),
  weights: Weights,
  /** A LoRA adapter over the weights: the id of an uploaded one, or owner/name:file.gguf of Hugging Face. */
  adapter: z
    .string()
    .max(WEIGHTS_MAX)
    .refine((text) => HF_ADAPTER.test(text) || UPLOADED.test(text), {
      error: 'Use the id of an uploaded adapter, or owner/name:file.gguf of Hugging Face',
    })
    .nullish(),
  /** Tokens of one request, prompt and completion together. */
  context: z.int().min(256).max(1_000_000).default(4096),
  /** Completions generated at the same time. */
  sequences: z.int().min(1).max(64).nullish(),
  kind: z.enum(['chat', 'code']).default('chat'),
});

const OnnxSettings = z.strictObject({
  ...common,
  engine: z.literal('onnx'),
  weights: z
    .string()
    .max(WEIGHTS_MAX)
    .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,200}$/, 'Use a name of the catalogue, or installed weights'),
  kind: z.enum(['embeddings', 'moderation']).default('embeddings'),
});

export const ModelSettings = z
  .discriminatedUnion('engine', [UpstreamSettings, LlamaSettings, OnnxSettings])
  .meta({ id: 'ModelSettings' });
export type ModelSettings = z.infer<typeof ModelSettings>;

/** What is kept of it: the keys are encrypted beside it. */
export type StoredSettings = WithoutKeys<ModelSettings>;
type WithoutKeys<S> = S extends { fallbacks: (infer F)[] }
  ? Omit<S, 'api_key' | 'fallbacks'> & { fallbacks: Omit<F, 'api_key'>[] }
  : S;

export const ModelSettingsParams = z.strictObject({ model_id: z.string().min(1).max(NAME_MAX) });

const ShownTarget = z.object({ url: z.string(), upstream_model: z.string().nullable(), has_api_key: z.boolean() });

/** A model as its operator sees it. Keys are never shown. */
export const ManagedModel = z
  .object({
    id: z.string(),
    /** Who says how it is served: the configuration file, the program, or this API. */
    source: z.enum(['file', 'builtin', 'database']),
    engine: z.string(),
    aliases: z.array(z.string()),
    name: z.string().nullable(),
    description: z.string().nullable(),
    kind: z.string().nullable(),
    capabilities: z.record(z.string(), z.boolean()),
    default_temperature: z.number().nullable(),
    price: z.object({ prompt: z.number(), completion: z.number() }),
    limits: z.object({ requests_per_minute: z.number().nullable(), tokens_per_minute: z.number().nullable() }),
    max_context_length: z.int(),
    /** Of a model server: its addresses in the order in which they are tried. */
    targets: z.array(ShownTarget),
    timeout_seconds: z.number().nullable(),
    private_network: z.boolean(),
    weights: z.string().nullable(),
    /** The id of its uploaded LoRA adapter, or its name at Hugging Face. */
    adapter: z.string().nullable(),
    sequences: z.int().nullable(),
    /** Why it is not served; null where it is. */
    problem: z.string().nullable(),
    updated_at: z.string().nullable(),
  })
  .meta({ id: 'ManagedModel' });
export type ManagedModel = z.infer<typeof ManagedModel>;

export const ManagedModels = z.object({ data: z.array(ManagedModel) }).meta({ id: 'ManagedModels' });
export type ManagedModels = z.infer<typeof ManagedModels>;

export const DeletedModelSettings = z
  .object({ id: z.string(), deleted: z.literal(true) })
  .meta({ id: 'DeletedModelSettings' });

/** A LoRA adapter that was uploaded: a GGUF file over the weights of a llama model. */
export const ModelAdapter = z
  .object({
    id: z.string(),
    filename: z.string(),
    bytes: z.int(),
    sha256: z.string(),
    created_at: z.string(),
    /** The stored models that use it. It is deleted with the last of them. */
    used_by: z.array(z.string()),
  })
  .meta({ id: 'ModelAdapter' });
export type ModelAdapter = z.infer<typeof ModelAdapter>;
export const ModelAdapters = z.object({ data: z.array(ModelAdapter) }).meta({ id: 'ModelAdapters' });
export type ModelAdapters = z.infer<typeof ModelAdapters>;
export const AdapterParams = z.strictObject({ adapter_id: z.string().min(1).max(64) });
export const AdapterUpload = z.strictObject({});
export const DeletedAdapter = z
  .object({ id: z.string(), deleted: z.literal(true) })
  .meta({ id: 'DeletedModelAdapter' });

export const ConnectionTest = z
  .strictObject({
    url: Address,
    api_key: ApiKey,
    /** A stored model whose key is used where none is given; only for the server that it was stored for. */
    model_id: z.string().min(1).max(NAME_MAX).nullish(),
    private_network: z.boolean().default(false),
  })
  .meta({ id: 'ModelConnectionTest' });
export type ConnectionTest = z.infer<typeof ConnectionTest>;

/** What a server says about one of its models, as far as it says it. */
export const OfferedModel = z.object({
  id: z.string(),
  max_context_length: z.int().nullable(),
  /** Per million tokens, in the currency of the server. */
  price: z.object({ prompt: z.number(), completion: z.number() }).nullable(),
});
export type OfferedModel = z.infer<typeof OfferedModel>;

export const ConnectionReport = z
  .object({
    ok: z.boolean(),
    /** What was found, and what to do where it failed. */
    message: z.string(),
    latency_ms: z.number().nullable(),
    models: z.array(OfferedModel),
  })
  .meta({ id: 'ModelConnectionReport' });
export type ConnectionReport = z.infer<typeof ConnectionReport>;

export const Preset = z.object({
  id: z.string(),
  name: z.string(),
  url: z.string(),
  /** Whether the server asks for a key. */
  needs_key: z.boolean(),
  private_network: z.boolean(),
  hint: z.string(),
});
export type Preset = z.infer<typeof Preset>;
export const Presets = z.object({ data: z.array(Preset) }).meta({ id: 'ModelServerPresets' });
