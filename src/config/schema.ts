import { z } from 'zod';
import { BUILTIN_MODELS, Builtin } from './builtin-models.ts';
import { Connector } from './connectors.ts';
import { ModelConfig } from './models.ts';
import { PerOrganization } from './per-organization.ts';
import { SignInConfig } from './sign-in.ts';

export type { ModelConfig } from './models.ts';

/** In millionths, as budgets are stored, it is still a safe integer. */
const BUDGET_MAX = 1_000_000_000;
/** A pebibyte. */
const STORAGE_MIB_MAX = 2 ** 30;

function isPattern(source: string): boolean {
  try {
    return new RegExp(source, 'gu').global;
  } catch {
    return false;
  }
}

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
  models: z.array(ModelConfig).prefault(BUILTIN_MODELS),
  /** Which built-in models stay beside those of `models`: all, none or by kind. */
  builtin: Builtin,
  /** Whether public model names, such as mistral-small-latest, stand for models here; a map says for which. */
  sample_aliases: z
    .union([z.boolean(), z.record(z.string().min(1), z.union([z.string().min(1), z.literal(false)]))])
    .default(true),
  /** Whether `GET /v1/models` lists aliases and current public names as cards of their own. */
  list_aliases: z.boolean().default(true),
  limits: z.strictObject({ key: KeyLimits, workspace: ScopeLimits, organization: ScopeLimits }).prefault({}),
  /** The currency of the prices and budgets, as its ISO 4217 code. */
  currency: z
    .string()
    .regex(/^[A-Z]{3}$/)
    .default('EUR'),
  /** For upstream models that have no price here. */
  public_prices: z
    .strictObject({
      enabled: z.boolean().default(false),
      /** What a dollar costs in `currency`. */
      dollar: z.number().positive().max(1_000_000).default(1),
    })
    .prefault({}),
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
  /** What models were asked, without what was said: docs/observability.md. */
  traces: z
    .strictObject({
      enabled: z.boolean().default(true),
      retention_days: z.int().min(1).max(3650).default(30),
      /** What was said, which is kept only where an administrator of a workspace switches it on. */
      contents: z
        .strictObject({
          /** False forbids it, and deletes what there is. */
          allowed: z.boolean().default(true),
          /** The longest that a workspace may choose. */
          retention_days: z.int().min(1).max(3650).default(30),
          /** Of inputs, of outputs, of instructions and of tools each, in thousands of characters. */
          max_kib: z.int().min(1).max(1024).default(64),
          /** Applied in this order before anything is stored. */
          redact: z
            .array(
              z.strictObject({
                pattern: z.string().min(1).max(1000).refine(isPattern, 'is not a regular expression of JavaScript'),
                replacement: z.string().max(200).default('[redacted]'),
              }),
            )
            .max(100)
            .default([]),
        })
        .prefault({}),
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
  search: z
    .strictObject({
      /** The embedding model of libraries and search indexes; defaults to the multilingual one. */
      embedding_model: z.string().min(1).optional(),
      /** The model of kind `reranking` that puts passages in order where a search asks for it; by default none. */
      reranking_model: z.string().min(1).optional(),
    })
    .prefault({}),
  transcription: z
    .strictObject({
      /** The limit for an audio file. */
      file_limit_mib: z.number().positive().max(4096).default(512),
    })
    .prefault({}),
  /** Libraries of documents. */
  libraries: z
    .strictObject({
      /** The limit for a document, an archive included. */
      document_limit_mib: z.number().positive().max(2048).default(100),
      /** Documents that this process reads at the same time. */
      concurrency: z.int().min(1).max(64).default(2),
      per_organization: PerOrganization,
      /** The time limit for the reader of one document; OCR and transcription have their own. */
      document_timeout_seconds: z.number().positive().max(3600).default(120),
      /** Of the process that reads a document. */
      memory_mib: z.int().min(128).max(8192).default(512),
      /** The limit for the text of a document. */
      text_limit_mib: z.number().positive().max(256).default(32),
      archive_files_max: z.int().min(1).max(10_000).default(1000),
      /** What an archive or an office file may unpack to. */
      archive_limit_mib: z.number().positive().max(4096).default(256),
      /** The chat model that writes summaries; without one they are the first sentences. */
      summary_model: z.string().min(1).optional(),
      /** Folders of this server that libraries may be kept in step with; by default none. */
      source_folders: z
        .array(
          z.strictObject({
            path: z.string().min(1),
            /** The ids of the workspaces that may; all, if left out. */
            workspaces: z.array(z.string().min(1)).optional(),
          }),
        )
        .default([]),
      /** What a folder, repository or site may have. */
      source_files_max: z.int().min(1).max(1_000_000).default(20_000),
      source_limit_mib: z.number().positive().max(65_536).default(1024),
      source_timeout_seconds: z.number().positive().max(86_400).default(900),
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
  /** MCP servers whose tools models may use. */
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
  /** How people sign in to the console, besides a password. */
  sign_in: SignInConfig,
  outbound: z
    .strictObject({
      /** Hosts, addresses or CIDR blocks that are not public but that clients may make the server call. */
      allow: z.array(z.string().min(1)).default([]),
    })
    .prefault({}),
});
export type FileConfig = Omit<z.infer<typeof FileConfig>, 'models'> & { models: ModelConfig[] };
