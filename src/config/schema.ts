import { z } from 'zod';

/** In millionths, as budgets are stored, it is still a safe integer. */
const BUDGET_MAX = 1_000_000_000;
/** A pebibyte. */
const STORAGE_MIB_MAX = 2 ** 30;

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

/** How many of these one organization may have at the same time; default: all but one. */
const PerOrganization = z.int().min(1).optional();

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
    .strictObject({ prompt: z.number().min(0).default(0), completion: z.number().min(0).default(0) })
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
  capabilities: Capabilities.prefault({ completion_chat: true }),
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
  capabilities: Capabilities.prefault({ completion_chat: true, function_calling: true }),
});

/** An embedding model in a child process. */
const OnnxModel = z.strictObject({
  ...common,
  engine: z.literal('onnx'),
  weights: z.string().min(1),
  threads: z.int().min(1).optional(),
  max_context_length: z.int().min(1).default(8192),
  capabilities: Capabilities.prefault({}),
});

/** A neural voice in a child process. */
const KokoroModel = z.strictObject({
  ...common,
  engine: z.literal('kokoro'),
  threads: z.int().min(1).optional(),
  max_context_length: z.int().min(1).default(32_768),
  capabilities: Capabilities.prefault({ audio_speech: true }),
});

/** eSpeak NG in a child process. */
const EspeakModel = z.strictObject({
  ...common,
  engine: z.literal('espeak'),
  max_context_length: z.int().min(1).default(32_768),
  capabilities: Capabilities.prefault({ audio_speech: true }),
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
  capabilities: Capabilities.prefault({ ocr: true }),
});

const ModelConfig = z.discriminatedUnion('engine', [
  UpstreamModel,
  LlamaModel,
  OnnxModel,
  KokoroModel,
  EspeakModel,
  TesseractModel,
]);
export type ModelConfig = z.infer<typeof ModelConfig>;

const DEFAULT_MODELS: z.input<typeof ModelConfig>[] = [
  { id: 'smollm2-135m-instruct', engine: 'llama', weights: 'smollm2-135m-instruct' },
  {
    id: 'all-minilm-l6-v2',
    engine: 'onnx',
    weights: 'all-minilm-l6-v2',
    capabilities: { moderation: true },
  },
  { id: 'kokoro-82m', engine: 'kokoro' },
  { id: 'espeak-ng', engine: 'espeak' },
  { id: 'tesseract', engine: 'tesseract' },
];

const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const HEADER_VALUE = /^[\t\x20-\x7e]*$/;

/** A remote server of the Model Context Protocol. It may be reached even where its address is not public. */
const Connector = z.strictObject({
  id: z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/, 'An id has 1 to 64 letters, digits, _ and -'),
  url: z
    .url({ protocol: /^https?$/ })
    .refine((url) => !/^https?:\/\/[^/]*@/.test(url), 'Give credentials under headers, not in the url'),
  description: z.string().optional(),
  headers: z
    .record(
      z.string().regex(HEADER_NAME, 'A header has no such name'),
      // The message must not repeat the value.
      z.string().regex(HEADER_VALUE, 'A header has no such value'),
    )
    .default({}),
  api_key_header: z.string().regex(HEADER_NAME, 'A header has no such name').default('authorization'),
  timeout_seconds: z.number().positive().max(600).default(60),
  result_limit_kib: z.int().min(1).max(1024).default(64),
  workspaces: z.array(z.guid()).min(1).optional(),
});

const rates = {
  requests_per_second: z.int().min(1).optional(),
  tokens_per_minute: z.int().min(1).optional(),
  /** In the currency of the prices. */
  monthly_budget: z.number().min(0).max(BUDGET_MAX).optional(),
};
/** The limits of every scope of a kind that has none of its own; absent means unlimited. */
const KeyLimits = z.strictObject(rates).prefault({});
const ScopeLimits = z
  .strictObject({ ...rates, storage_mib: z.int().min(0).max(STORAGE_MIB_MAX).optional() })
  .prefault({});

/** The YAML file. Every key has a default, so no file is needed at all. */
export const FileConfig = z.strictObject({
  /** The default models are a tiny one for chat, one for embeddings, two voices and one for documents. */
  models: z.array(ModelConfig).prefault(DEFAULT_MODELS),
  /** Whether the model names of public samples, such as mistral-small-latest, are aliases of the configured models. */
  sample_aliases: z.boolean().default(true),
  limits: z.strictObject({ key: KeyLimits, workspace: ScopeLimits, organization: ScopeLimits }).prefault({}),
  /** The currency of the prices and budgets, as its ISO 4217 code. */
  currency: z
    .string()
    .regex(/^[A-Z]{3}$/)
    .default('EUR'),
  /** The workspace whose skills with the alias `published` are public. */
  published_workspace: z.guid().optional(),
  server: z
    .strictObject({
      /** How long a stopping server waits for running requests and streams. */
      drain_seconds: z.number().min(0).max(3600).default(30),
      body_limit_mib: z.number().positive().max(1024).default(10),
      /** The limit for an uploaded file. */
      file_limit_mib: z.number().positive().max(10_240).default(512),
      heartbeat_seconds: z.number().positive().max(300).default(15),
    })
    .prefault({}),
  audit: z
    .strictObject({
      /** Older entries are deleted once a signed checkpoint replaces them; without it they are kept. */
      retention_days: z.int().min(1).max(36_500).optional(),
    })
    .prefault({}),
  /** Without it, the links of invitations are shown to the inviting user. */
  mail: z
    .strictObject({
      host: z.string().min(1),
      port: z.int().min(1).max(65_535).default(587),
      security: z.enum(['tls', 'starttls', 'none']).default('starttls'),
      user: z.string().min(1).optional(),
      password: z.string().min(1).optional(),
      from: z.string().min(3),
    })
    .optional(),
  /** Tools that the server runs itself, in conversations and agents. */
  tools: z
    .strictObject({
      web_search: z
        .strictObject({
          provider: z.enum(['searxng', 'brave', 'tavily']),
          url: z.url({ protocol: /^https?$/ }).optional(),
          api_key: z.string().min(1).optional(),
          results: z.int().min(1).max(20).default(5),
        })
        .optional(),
      /** An OpenAI-compatible server for images. */
      image_generation: z
        .strictObject({
          url: z.url({ protocol: /^https?$/ }),
          api_key: z.string().min(1).optional(),
          model: z.string().min(1).optional(),
          size: z.string().min(1).default('1024x1024'),
        })
        .optional(),
    })
    .prefault({}),
  ocr: z
    .strictObject({
      /** The limit for a document. */
      document_limit_mib: z.number().positive().max(512).default(50),
      /** The chat model for annotations; defaults to the first capable one. */
      annotation_model: z.string().min(1).optional(),
    })
    .prefault({}),
  batch: z
    .strictObject({
      /** Requests of batch jobs that this process runs at the same time while no client sends work. */
      concurrency: z.int().min(1).max(1024).default(32),
      per_organization: PerOrganization,
      /** The time limit of one request of a job. */
      request_timeout_seconds: z.number().positive().max(86_400).default(600),
    })
    .prefault({}),
  /** Remote MCP servers whose tools models may use. */
  connectors: z
    .array(Connector)
    .default([])
    .refine((all) => new Set(all.map(({ id }) => id)).size === all.length, 'Two connectors have the same id'),
  code_interpreter: z
    .strictObject({
      /** Python as WebAssembly, the system's Python in namespaces, or none. */
      engine: z.enum(['wasm', 'bubblewrap', 'off']).default('wasm'),
      /** Programs that run at the same time; others are queued. */
      concurrency: z.int().min(1).max(64).default(3),
      per_organization: PerOrganization,
      timeout_seconds: z.number().min(1).max(600).default(30),
      memory_mib: z.int().min(64).max(4095).default(256),
      output_limit_kib: z.int().min(1).max(10_240).default(64),
      files_max: z.int().min(1).max(1000).default(32),
      file_limit_mib: z.int().min(1).max(1024).default(32),
      bubblewrap: z.string().min(1).default('bwrap'),
      python: z.string().min(1).default('/usr/bin/python3'),
      /** Directories that Python may read besides those of the system. */
      python_paths: z.array(z.string().min(1)).default([]),
    })
    .prefault({}),
  workflows: z
    .strictObject({
      /** How long an execution is kept after it and its children have ended. */
      retention_days: z.int().min(1).max(3650).default(30),
      /** 32 bytes each, as base64. The first encrypts the payloads of workflows; the others decrypt older ones. */
      encryption_keys: z.array(z.string().regex(/^[A-Za-z0-9+/]{43}=$/)).default([]),
    })
    .prefault({}),
  /** Only used where TRAMONTANE_TEMPORAL_ADDRESS is set. */
  temporal: z
    .strictObject({
      /** TLS to the Temporal cluster; plaintext if left out. */
      tls: z
        .strictObject({
          ca_file: z.string().min(1).optional(),
          cert_file: z.string().min(1).optional(),
          key_file: z.string().min(1).optional(),
        })
        .optional(),
      /** TLS of the gateway for workers; plaintext if left out. */
      gateway: z.strictObject({ cert_file: z.string().min(1), key_file: z.string().min(1) }).optional(),
    })
    .prefault({}),
  outbound: z
    .strictObject({
      /** Hosts, addresses or CIDR blocks that are not public but that clients may make the server call. */
      allow: z.array(z.string().min(1)).default([]),
    })
    .prefault({}),
});
export type FileConfig = z.infer<typeof FileConfig>;
