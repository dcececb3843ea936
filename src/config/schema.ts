import { z } from 'zod';

/** In its millionths, which is how budgets are counted, it must still be a whole number. */
const BUDGET_MAX = 1_000_000_000;

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

const common = {
  id: z.string().min(1),
  aliases: z.array(z.string().min(1)).default([]),
  name: z.string().optional(),
  description: z.string().optional(),
  default_temperature: z.number().min(0).max(1.5).optional(),
  /** When the model retires, and what to use then; shown on its card and in a header of its answers. */
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
  /** Other servers for the same model, asked in this order when the ones before fail. */
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
  /** Of a server that speaks (`audio_speech`). */
  speech: z
    .strictObject({
      /** What it calls its voices; without a list any name is passed on. */
      voices: z.array(z.string().min(1)).default([]),
      /** The first of the list if left out. */
      default_voice: z.string().min(1).optional(),
      /** Whether it takes `ref_audio` and speaks like it. */
      clones: z.boolean().default(false),
    })
    .prefault({}),
});

/** A GGUF file in a process of our own. */
const LlamaModel = z.strictObject({
  ...common,
  engine: z.literal('llama'),
  /** A catalogue id, a path, an https address or `owner/name:file.gguf`. */
  weights: z.string().min(1),
  adapter: z.string().min(1).optional(),
  /** Tokens of one conversation, prompt and answer together; also what the model card says. */
  context: z.int().min(256).default(4096),
  /** Answers made at the same time. */
  sequences: z.int().min(1).max(64).optional(),
  threads: z.int().min(1).optional(),
  gpu: z.enum(['auto', 'off']).default('off'),
  capabilities: Capabilities.prefault({ completion_chat: true, function_calling: true }),
});

/** An embedding model in a process of our own. */
const OnnxModel = z.strictObject({
  ...common,
  engine: z.literal('onnx'),
  weights: z.string().min(1),
  threads: z.int().min(1).optional(),
  max_context_length: z.int().min(1).default(8192),
  capabilities: Capabilities.prefault({}),
});

/** A neural voice in a process of our own. */
const KokoroModel = z.strictObject({
  ...common,
  engine: z.literal('kokoro'),
  threads: z.int().min(1).optional(),
  max_context_length: z.int().min(1).default(32_768),
  capabilities: Capabilities.prefault({ audio_speech: true }),
});

/** eSpeak NG in a process of its own. */
const EspeakModel = z.strictObject({
  ...common,
  engine: z.literal('espeak'),
  max_context_length: z.int().min(1).default(32_768),
  capabilities: Capabilities.prefault({ audio_speech: true }),
});

/** PDFium and Tesseract in processes of their own. */
const TesseractModel = z.strictObject({
  ...common,
  engine: z.literal('tesseract'),
  /** As Tesseract calls them. English is here; the others come with `tramontane pull`. */
  languages: z
    .array(z.string().regex(/^[a-z]{3}(_[a-z]+)*$/, 'A language is named as Tesseract does: eng, deu, chi_sim'))
    .min(1)
    .max(8)
    .default(['eng']),
  /** Documents that are read at the same time, each in a process of its own. */
  concurrency: z.int().min(1).max(64).default(2),
  /** The most memory of such a process. */
  memory_mib: z.int().min(256).max(16_384).default(1024),
  /** How long one page may take. */
  page_timeout_seconds: z.number().positive().max(3600).default(120),
  pages_max: z.int().min(1).max(100_000).default(1000),
  /** Of a picture that is sent. */
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

/** A remote server of the Model Context Protocol. Being named here, it may be reached although it is not public. */
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

/** For every scope of a kind that has no limits of its own. What is left out is unlimited. */
const ScopeLimits = z
  .strictObject({
    requests_per_second: z.int().min(1).optional(),
    tokens_per_minute: z.int().min(1).optional(),
    /** In the currency of the prices. */
    monthly_budget: z.number().min(0).max(BUDGET_MAX).optional(),
  })
  .prefault({});

/** The YAML file. Every key has a default, so no file is needed at all. */
export const FileConfig = z.strictObject({
  /** Left out, the default models serve: a tiny one for chat, one for embeddings, two voices and a reader of documents. */
  models: z.array(ModelConfig).prefault(DEFAULT_MODELS),
  /** Whether the names that public samples use, such as mistral-small-latest, stand for the first models that fit. */
  sample_aliases: z.boolean().default(true),
  limits: z.strictObject({ key: ScopeLimits, workspace: ScopeLimits, organization: ScopeLimits }).prefault({}),
  /** The currency of the prices and budgets, as its ISO 4217 code. */
  currency: z
    .string()
    .regex(/^[A-Z]{3}$/)
    .default('EUR'),
  /** The workspace whose skills with the alias `published` everybody may read, without a key. */
  published_workspace: z.guid().optional(),
  server: z
    .strictObject({
      /** How long a stopping server waits for running requests and streams. */
      drain_seconds: z.number().min(0).max(3600).default(30),
      body_limit_mib: z.number().positive().max(1024).default(10),
      /** The largest file that can be uploaded. */
      file_limit_mib: z.number().positive().max(10_240).default(512),
      heartbeat_seconds: z.number().positive().max(300).default(15),
    })
    .prefault({}),
  audit: z
    .strictObject({
      /** Entries older than this are let go, once a signed checkpoint stands for them; left out, they are kept. */
      retention_days: z.int().min(1).max(36_500).optional(),
    })
    .prefault({}),
  /** Left out, whoever invites is shown the links. */
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
  /** What the server needs to run tools itself, in conversations and agents. */
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
      /** An OpenAI-compatible images address. */
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
      /** The largest document that is read. */
      document_limit_mib: z.number().positive().max(512).default(50),
      /** The chat model that annotates; left out, the first that can. */
      annotation_model: z.string().min(1).optional(),
    })
    .prefault({}),
  batch: z
    .strictObject({
      /** Requests of batch jobs that this process asks at the same time, while nobody else asks. */
      concurrency: z.int().min(1).max(1024).default(32),
    })
    .prefault({}),
  /** Remote MCP servers whose tools models may use. */
  connectors: z
    .array(Connector)
    .default([])
    .refine((all) => new Set(all.map(({ id }) => id)).size === all.length, 'Two connectors have the same id'),
  code_interpreter: z
    .strictObject({
      /** Python as WebAssembly, the machine's own Python in namespaces, or none. */
      engine: z.enum(['wasm', 'bubblewrap', 'off']).default('wasm'),
      /** Programs that run at the same time; others wait. */
      concurrency: z.int().min(1).max(64).default(2),
      timeout_seconds: z.number().min(1).max(600).default(30),
      memory_mib: z.int().min(64).max(4095).default(256),
      output_limit_kib: z.int().min(1).max(10_240).default(64),
      files_max: z.int().min(1).max(1000).default(32),
      file_limit_mib: z.int().min(1).max(1024).default(32),
      bubblewrap: z.string().min(1).default('bwrap'),
      python: z.string().min(1).default('/usr/bin/python3'),
      /** Directories that its Python may read beside those of the system. */
      python_paths: z.array(z.string().min(1)).default([]),
    })
    .prefault({}),
  workflows: z
    .strictObject({
      /** How long an execution is kept after it, and all that it started, has ended. */
      retention_days: z.int().min(1).max(3650).default(30),
      /** 32 bytes as base64 each. The first seals what workflows pass around, the others open what they sealed before. */
      encryption_keys: z.array(z.string().regex(/^[A-Za-z0-9+/]{43}=$/)).default([]),
    })
    .prefault({}),
  /** Only read where TRAMONTANE_TEMPORAL_ADDRESS is set. */
  temporal: z
    .strictObject({
      /** How Temporal itself is reached: in the clear if left out. */
      tls: z
        .strictObject({
          ca_file: z.string().min(1).optional(),
          cert_file: z.string().min(1).optional(),
          key_file: z.string().min(1).optional(),
        })
        .optional(),
      /** How workers reach us there: in the clear if left out. */
      gateway: z.strictObject({ cert_file: z.string().min(1), key_file: z.string().min(1) }).optional(),
    })
    .prefault({}),
  outbound: z
    .strictObject({
      /** Hosts, addresses or CIDR blocks that client-chosen requests may reach although they are not public. */
      allow: z.array(z.string().min(1)).default([]),
    })
    .prefault({}),
});
export type FileConfig = z.infer<typeof FileConfig>;
