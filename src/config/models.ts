import { z } from 'zod';
import { PerOrganization } from './per-organization.ts';

const Capabilities = z.strictObject({
  completion_chat: z.boolean().default(false),
  function_calling: z.boolean().default(false),
  reasoning: z.boolean().default(false),
  completion_fim: z.boolean().default(false),
  fine_tuning: z.boolean().default(false),
  vision: z.boolean().default(false),
  ocr: z.boolean().default(false),
  classification: z.boolean().default(false),
  moderation: z.boolean().default(false),
  audio: z.boolean().default(false),
  audio_transcription: z.boolean().default(false),
  audio_transcription_realtime: z.boolean().default(false),
  audio_speech: z.boolean().default(false),
  unified_resources: z.boolean().default(false),
});

type Capability = keyof z.infer<typeof Capabilities>;

/** What a model of a kind can do at least; `embeddings` and `reranking` have no capability on the card. */
const KINDS = {
  chat: ['completion_chat'],
  code: ['completion_chat', 'completion_fim'],
  embeddings: [],
  classification: ['classification'],
  moderation: ['moderation'],
  ocr: ['ocr'],
  reranking: [],
  speech: ['audio_speech'],
  transcription: ['audio_transcription', 'audio_transcription_realtime'],
} as const satisfies Record<string, readonly Capability[]>;
type Kind = keyof typeof KINDS;

/** Weights that are known to fill in the middle. */
const CODERS = /qwen[\d.]*-coder|codestral|starcoder|codegemma|codellama|deepseek-coder/i;

const defaults = new WeakSet<object>();

/** A default that `declare` recognizes: it is used where the file names no capabilities. */
function capableOf(...names: Capability[]) {
  const capabilities = withAll(Capabilities.parse({}), names);
  defaults.add(capabilities);
  return Capabilities.default(() => capabilities);
}

function withAll(capabilities: z.infer<typeof Capabilities>, names: readonly Capability[]) {
  return { ...capabilities, ...Object.fromEntries(names.map((name) => [name, true])) };
}

const kind = (...kinds: [Kind, ...Kind[]]) => z.enum(kinds).optional();

type Declared = {
  engine: string;
  kind?: Kind | undefined;
  capabilities: z.infer<typeof Capabilities>;
  weights?: string;
};

/** Adds to the capabilities what the kind says, or the weights where the file says nothing. */
function declare<M extends Declared>(model: M): M {
  const { kind: declared, capabilities, weights = '' } = model;
  const isGiven = !defaults.has(capabilities);
  const isText = declared === undefined || declared === 'chat' || declared === 'code';
  const fills = !isGiven && isText && model.engine === 'llama' && CODERS.test(weights);
  if (declared === undefined && !fills) return model;
  const start = isGiven || isText ? capabilities : Capabilities.parse({});
  const added = [...(declared ? KINDS[declared] : []), ...(fills ? (['completion_fim'] as const) : [])];
  return { ...model, capabilities: withAll(start, added) };
}

function refuseContradictions({ kind: declared, capabilities }: Declared, context: z.RefinementCtx): void {
  if (declared === undefined || declared === 'chat' || declared === 'code' || defaults.has(capabilities)) return;
  const wrong = (['completion_chat', 'completion_fim'] as const).filter((name) => capabilities[name]);
  if (wrong.length > 0)
    context.addIssue({
      code: 'custom',
      path: ['capabilities'],
      message: `A model of kind ${declared} cannot have ${wrong.join(' and ')}; leave out one of the two`,
    });
}

const common = {
  id: z.string().min(1),
  aliases: z.array(z.string().min(1)).default([]),
  name: z.string().optional(),
  description: z.string().optional(),
  default_temperature: z.number().min(0).max(1.5).optional(),
  /** When the model retires, and its replacement; shown on its card and in the headers of its responses. */
  deprecation: z.iso.datetime().optional(),
  deprecation_replacement_model: z.string().min(1).optional(),
  /** Per million tokens, for budgets. */
  price: z
    .strictObject({
      prompt: z.number().min(0).default(0),
      completion: z.number().min(0).default(0),
      /** Of a model that transcribes: instead of `prompt`, which is for a million seconds. */
      audio_minute: z.number().min(0).optional(),
    })
    .prefault({}),
  /** What it takes in a minute from all callers together. */
  limits: z
    .strictObject({
      requests_per_minute: z.int().min(1).optional(),
      tokens_per_minute: z.int().min(1).optional(),
    })
    .prefault({}),
};

/** Any OpenAI-compatible server. */
const UpstreamModel = z.strictObject({
  ...common,
  engine: z.literal('upstream'),
  url: z.url({ protocol: /^https?$/ }),
  api_key: z.string().min(1).optional(),
  upstream_model: z.string().min(1).optional(),
  timeout_seconds: z.number().positive().default(300),
  /** Other servers for the same model, tried in this order when the ones before fail. */
  fallbacks: z
    .array(
      z.strictObject({
        url: z.url({ protocol: /^https?$/ }),
        api_key: z.string().min(1).optional(),
        upstream_model: z.string().min(1).optional(),
      }),
    )
    .default([]),
  max_context_length: z.int().min(1).default(32_768),
  kind: kind(
    'chat',
    'code',
    'embeddings',
    'classification',
    'moderation',
    'ocr',
    'reranking',
    'speech',
    'transcription',
  ),
  capabilities: capableOf('completion_chat'),
  /** For servers with the capability `audio_speech`. */
  speech: z
    .strictObject({
      /** The names of its voices; without a list any name is passed on. */
      voices: z.array(z.string().min(1)).default([]),
      /** Defaults to the first of the list. */
      default_voice: z.string().min(1).optional(),
      /** Whether it can clone the voice of `ref_audio`. */
      clones: z.boolean().default(false),
    })
    .prefault({}),
});

/** A GGUF file in a child process. */
const LlamaModel = z.strictObject({
  ...common,
  engine: z.literal('llama'),
  /** A catalogue id, a path, an https address or `owner/name:file.gguf`. */
  weights: z.string().min(1),
  adapter: z.string().min(1).optional(),
  /** Tokens of one request, prompt and completion together; also shown on the model card. */
  context: z.int().min(256).default(4096),
  /** Completions generated at the same time. */
  sequences: z.int().min(1).max(64).optional(),
  threads: z.int().min(1).optional(),
  /** `auto`: a GPU where its package is installed and it can be opened, else the CPU. */
  gpu: z.enum(['auto', 'off']).default('auto'),
  kind: kind('chat', 'code'),
  capabilities: capableOf('completion_chat', 'function_calling'),
});

/** An embedding model in a child process, or with `kind: classification` a classifier. */
const OnnxModel = z.strictObject({
  ...common,
  engine: z.literal('onnx'),
  /** A catalogue id or an address; of a classifier the folder with its graph, `tokenizer.json` and `config.json`. */
  weights: z.string().min(1),
  threads: z.int().min(1).optional(),
  max_context_length: z.int().min(1).default(8192),
  kind: kind('embeddings', 'classification', 'moderation'),
  capabilities: capableOf(),
});

/** A neural voice in a child process. */
const KokoroModel = z.strictObject({
  ...common,
  engine: z.literal('kokoro'),
  threads: z.int().min(1).optional(),
  max_context_length: z.int().min(1).default(32_768),
  kind: kind('speech'),
  capabilities: capableOf('audio_speech'),
});

/** eSpeak NG in a child process. */
const EspeakModel = z.strictObject({
  ...common,
  engine: z.literal('espeak'),
  max_context_length: z.int().min(1).default(32_768),
  kind: kind('speech'),
  capabilities: capableOf('audio_speech'),
});

/** PDFium and Tesseract in child processes. */
const TesseractModel = z.strictObject({
  ...common,
  engine: z.literal('tesseract'),
  /** Tesseract's codes. English is included; others are downloaded with `tramontane pull`. */
  languages: z
    .array(z.string().regex(/^[a-z]{3}(_[a-z]+)*$/, 'Use a language code of Tesseract, such as eng, deu or chi_sim'))
    .min(1)
    .max(8)
    .default(['eng']),
  /** Documents that are read at the same time, each in a child process. */
  concurrency: z.int().min(1).max(64).default(3),
  per_organization: PerOrganization,
  /** The memory limit of such a process. */
  memory_mib: z.int().min(256).max(16_384).default(1024),
  /** The time limit of one page. */
  page_timeout_seconds: z.number().positive().max(3600).default(30),
  /** The time limit of all pages of a document together, without the time that it waits. */
  document_timeout_seconds: z.number().positive().max(86_400).default(600),
  pages_max: z.int().min(1).max(100_000).default(1000),
  /** The limit for an image. */
  megapixels_max: z.int().min(1).max(1000).default(100),
  max_context_length: z.int().min(1).default(32_768),
  kind: kind('ocr'),
  capabilities: capableOf('ocr'),
});

/** Whisper in child processes. */
const WhisperModel = z.strictObject({
  ...common,
  engine: z.literal('whisper'),
  /** An id of the catalogue: `whisper-tiny`, `whisper-base` or `whisper-small`. */
  weights: z.string().min(1).default('whisper-base'),
  /** Of one process. */
  threads: z.int().min(1).max(64).default(1),
  /** Windows of half a minute that are transcribed at the same time, each in a process with the whole model. */
  concurrency: z.int().min(1).max(16).default(1),
  per_organization: PerOrganization,
  /** The longest audio of one request. */
  hours_max: z.number().positive().max(24).default(4),
  /** The memory limit of a process that decodes a file. */
  decoder_memory_mib: z.int().min(128).max(16_384).default(512),
  /** Tells speakers apart; its weights are downloaded with `tramontane pull speaker-turns`. */
  diarization: z.boolean().default(false),
  /** Hears English in live sessions by a light model, with weights of its own; without them by Whisper, some seconds later. */
  light_english: z.boolean().default(true),
  max_context_length: z.int().min(1).default(32_768),
  kind: kind('transcription'),
  capabilities: capableOf('audio_transcription', 'audio_transcription_realtime'),
});

export const ModelConfig = z
  .discriminatedUnion('engine', [
    UpstreamModel,
    LlamaModel,
    OnnxModel,
    KokoroModel,
    EspeakModel,
    TesseractModel,
    WhisperModel,
  ])
  .superRefine(refuseContradictions)
  .overwrite(declare);
/** For a lazy model nothing is downloaded or started until a request needs it. */
export type ModelConfig = z.infer<typeof ModelConfig> & { isLazy?: true; isBuiltin?: true };
