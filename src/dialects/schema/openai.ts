import { z } from 'zod';
import { MODEL_CHARACTERS_MAX } from '../../chat/index.ts';
import { queryInt } from '../../kit/http/index.ts';
import { OpenAiUsage, sampling } from './openai-chat.ts';

const TOKENS_MAX = 100_000;
const TEXTS_MAX = 2048;
const text = z.string().nullable().optional();
const model = z.string().min(1).max(MODEL_CHARACTERS_MAX);
const tokenList = z.array(z.int().min(0)).min(1).max(TOKENS_MAX);

export const OpenAiModelParams = z.strictObject({ model_id: z.string() });

export const OpenAiModel = z
  .object({ id: z.string(), object: z.literal('model'), created: z.int(), owned_by: z.string() })
  .meta({ id: 'OpenAiModel' });

export const OpenAiModelList = z
  .object({ object: z.literal('list'), data: z.array(OpenAiModel) })
  .meta({ id: 'OpenAiModelList' });

export const OpenAiCompletionRequest = z
  .strictObject({
    ...sampling,
    prompt: z.union([z.string(), z.array(z.string()).min(1).max(TEXTS_MAX)]),
    suffix: text,
    /** Only their defaults: a model here continues a text and does not repeat or compare it. */
    echo: z.literal(false, { error: 'a prompt cannot be repeated here: leave it out' }).nullable().optional(),
    best_of: z.literal(1, { error: 'completions are not compared here: leave it out' }).nullable().optional(),
    logprobs: z.null({ error: 'log probabilities are for chat completions: leave it out' }).optional(),
  })
  .meta({ id: 'OpenAiCompletionRequest' });
export type OpenAiCompletionRequest = z.infer<typeof OpenAiCompletionRequest>;

export const OpenAiCompletion = z
  .object({
    id: z.string(),
    object: z.literal('text_completion'),
    created: z.int(),
    model: z.string(),
    choices: z.array(
      z.object({ text: z.string(), index: z.int(), logprobs: z.null(), finish_reason: z.string().nullable() }),
    ),
    usage: OpenAiUsage.nullable().optional(),
    system_fingerprint: z.null(),
  })
  .meta({ id: 'OpenAiCompletion' });
export type OpenAiCompletion = z.infer<typeof OpenAiCompletion>;

export const OpenAiCompletionChunk = z
  .object({ data: OpenAiCompletion.extend({ obfuscation: z.string().optional() }) })
  .meta({ id: 'OpenAiCompletionChunk' });

export const OpenAiEmbeddingRequest = z
  .strictObject({
    model,
    input: z.union([z.string(), z.array(z.string()).max(TEXTS_MAX), tokenList, z.array(tokenList).max(TEXTS_MAX)]),
    dimensions: z.int().gt(0).nullable().optional(),
    encoding_format: z.enum(['float', 'base64']).nullable().optional(),
    user: text,
  })
  .meta({ id: 'OpenAiEmbeddingRequest' });
export type OpenAiEmbeddingRequest = z.infer<typeof OpenAiEmbeddingRequest>;

export const OpenAiEmbeddings = z
  .object({
    object: z.literal('list'),
    data: z.array(
      z.object({
        object: z.literal('embedding'),
        index: z.int(),
        embedding: z.union([z.array(z.number()), z.string()]),
      }),
    ),
    model: z.string(),
    usage: z.object({ prompt_tokens: z.int(), total_tokens: z.int() }),
  })
  .meta({ id: 'OpenAiEmbeddings' });

export const OpenAiModerationRequest = z
  .strictObject({
    model: model.nullable().optional(),
    input: z.union([
      z.string(),
      z.array(z.string()).max(TEXTS_MAX),
      z.array(z.strictObject({ type: z.literal('text'), text: z.string() })).max(TEXTS_MAX),
    ]),
  })
  .meta({ id: 'OpenAiModerationRequest' });
export type OpenAiModerationRequest = z.infer<typeof OpenAiModerationRequest>;

export const OpenAiModeration = z
  .object({
    id: z.string(),
    model: z.string(),
    results: z.array(
      z.object({
        flagged: z.boolean(),
        categories: z.record(z.string(), z.boolean()),
        category_scores: z.record(z.string(), z.number()),
        category_applied_input_types: z.record(z.string(), z.array(z.string())),
      }),
    ),
  })
  .meta({ id: 'OpenAiModeration' });

export const OpenAiSpeechRequest = z
  .strictObject({
    model,
    input: z.string().min(1).max(200_000),
    voice: z.union([z.string().max(256), z.strictObject({ id: z.string().max(256) })]),
    response_format: z
      .enum(['mp3', 'opus', 'flac', 'wav', 'pcm'], { error: 'this server encodes mp3, opus, flac, wav and pcm' })
      .nullable()
      .optional(),
    speed: z.literal(1, { error: 'voices here have one speed: leave it out' }).nullable().optional(),
    instructions: z.literal('', { error: 'voices here take no instructions: leave it out' }).nullable().optional(),
    stream_format: z.enum(['audio', 'sse']).nullable().optional(),
  })
  .meta({ id: 'OpenAiSpeechRequest' });
export type OpenAiSpeechRequest = z.infer<typeof OpenAiSpeechRequest>;

export const OpenAiSpeechEvent = z
  .object({
    data: z.union([
      z.object({ type: z.literal('speech.audio.delta'), audio: z.string() }),
      z.object({
        type: z.literal('speech.audio.done'),
        usage: z.object({ input_tokens: z.int(), output_tokens: z.int(), total_tokens: z.int() }),
      }),
    ]),
  })
  .meta({ id: 'OpenAiSpeechEvent' });

const PURPOSES = ['assistants', 'batch', 'fine-tune', 'vision', 'user_data', 'evals'] as const;

/** The form fields beside the file. */
export const OpenAiFileUpload = z.strictObject({
  purpose: z.enum(PURPOSES),
  'expires_after[anchor]': z.literal('created_at').optional(),
  'expires_after[seconds]': queryInt().min(3600).max(2_592_000).optional(),
});
export type OpenAiFileUpload = z.infer<typeof OpenAiFileUpload>;

export const OpenAiFile = z
  .object({
    id: z.string(),
    object: z.literal('file'),
    bytes: z.int(),
    created_at: z.int(),
    expires_at: z.int().nullable(),
    filename: z.string(),
    purpose: z.string(),
    status: z.literal('processed'),
    status_details: z.null(),
  })
  .meta({ id: 'OpenAiFile' });
export type OpenAiFile = z.infer<typeof OpenAiFile>;

const pages = {
  object: z.literal('list'),
  first_id: z.string().nullable(),
  last_id: z.string().nullable(),
  has_more: z.boolean(),
};

export const OpenAiFileList = z.object({ ...pages, data: z.array(OpenAiFile) }).meta({ id: 'OpenAiFileList' });

export const OpenAiDeleted = z
  .object({ id: z.string(), object: z.string(), deleted: z.literal(true) })
  .meta({ id: 'OpenAiDeleted' });

export const OpenAiFileParams = z.strictObject({ file_id: z.string().max(256) });

const cursor = { after: z.string().max(256).optional(), limit: queryInt().min(1).max(10_000).optional() };

export const OpenAiFilesQuery = z.strictObject({
  ...cursor,
  order: z.enum(['asc', 'desc']).optional(),
  purpose: z.string().max(64).optional(),
});
export type OpenAiFilesQuery = z.infer<typeof OpenAiFilesQuery>;

export const OpenAiBatchRequest = z
  .strictObject({
    input_file_id: z.string().max(256),
    endpoint: z.enum(['/v1/chat/completions', '/v1/completions', '/v1/embeddings', '/v1/moderations', '/v1/responses']),
    completion_window: z.literal('24h'),
    metadata: z.record(z.string().min(1).max(64), z.string().min(1).max(512)).nullable().optional(),
    output_expires_after: z.null({ error: 'results are kept until they are deleted: leave it out' }).optional(),
  })
  .meta({ id: 'OpenAiBatchRequest' });
export type OpenAiBatchRequest = z.infer<typeof OpenAiBatchRequest>;

const time = z.int().nullable();

export const OpenAiBatch = z
  .object({
    id: z.string(),
    object: z.literal('batch'),
    endpoint: z.string(),
    errors: z
      .object({
        object: z.literal('list'),
        data: z.array(z.object({ code: z.string(), message: z.string(), param: z.null(), line: z.null() })),
      })
      .nullable(),
    input_file_id: z.string(),
    completion_window: z.literal('24h'),
    status: z.enum([
      'validating',
      'failed',
      'in_progress',
      'finalizing',
      'completed',
      'expired',
      'cancelling',
      'cancelled',
    ]),
    output_file_id: z.string().nullable(),
    error_file_id: z.string().nullable(),
    created_at: z.int(),
    in_progress_at: time,
    expires_at: time,
    finalizing_at: time,
    completed_at: time,
    failed_at: time,
    expired_at: time,
    cancelling_at: time,
    cancelled_at: time,
    request_counts: z.object({ total: z.int(), completed: z.int(), failed: z.int() }),
    metadata: z.record(z.string(), z.unknown()).nullable(),
  })
  .meta({ id: 'OpenAiBatch' });
export type OpenAiBatch = z.infer<typeof OpenAiBatch>;

export const OpenAiBatchList = z.object({ ...pages, data: z.array(OpenAiBatch) }).meta({ id: 'OpenAiBatchList' });
export const OpenAiBatchParams = z.strictObject({ batch_id: z.string().max(256) });
export const OpenAiBatchesQuery = z.strictObject(cursor);
export type OpenAiBatchesQuery = z.infer<typeof OpenAiBatchesQuery>;
