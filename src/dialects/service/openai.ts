import type { AgentService } from '../../agents/index.ts';
import type { BatchService } from '../../batch/index.ts';
import { batchErrors } from '../../batch/index.ts';
import type { ChatService } from '../../chat/index.ts';
import type { EmbeddingService } from '../../embeddings/index.ts';
import type { FileService, OpenFile } from '../../files/index.ts';
import type { GuardrailService } from '../../guardrails/index.ts';
import { ApiError, type RequestContext, type Scope, type SseEvent, type Upload } from '../../kit/http/index.ts';
import { asPrivate, type Call } from '../../metering/index.ts';
import type { ModelService } from '../../models/index.ts';
import type { SpeechService } from '../../speech/index.ts';
import { dialectErrors } from '../errors.ts';
import { renderBatch, toEndpoint, toJobId } from '../openai/batches.ts';
import { OpenAiChunkWriter } from '../openai/chunk-writer.ts';
import { decodeTokens } from '../openai/decode-tokens.ts';
import { openAiFileId, renderFile, toFilter, toPurpose } from '../openai/files.ts';
import { type Page, toPage } from '../openai/list-page.ts';
import { renderModeration } from '../openai/moderation.ts';
import { renderCompletion } from '../openai/render-completion.ts';
import { type Sound, toSound, toSpeechEvents, toSpeechRequest } from '../openai/speech.ts';
import {
  type PartOfCompletion,
  renderTextCompletion,
  TextChunkWriter,
  toChat,
  toFim,
} from '../openai/text-completion.ts';
import { toCompletion } from '../openai/to-completion.ts';
import { toFileId } from '../responses/to-messages.ts';
import type {
  OpenAiBatch,
  OpenAiBatchesQuery,
  OpenAiBatchRequest,
  OpenAiCompletion,
  OpenAiCompletionRequest,
  OpenAiEmbeddingRequest,
  OpenAiFile,
  OpenAiFilesQuery,
  OpenAiFileUpload,
  OpenAiModerationRequest,
  OpenAiSpeechRequest,
} from '../schema/openai.ts';
import type { OpenAiChatCompletion, OpenAiChatRequest } from '../schema/openai-chat.ts';
import { withAgent } from './responses.ts';

const HOUR_SECONDS = 3600;
const LIST_LIMIT = { files: 10_000, batches: 20 };
const MODERATION_MODEL = 'mistral-moderation-latest';

export type OpenAiPorts = {
  chat: Pick<ChatService, 'complete' | 'stream' | 'completeFim' | 'streamFim' | 'countTokens'>;
  agents: Pick<AgentService, 'applyTo'>;
  models: Pick<ModelService, 'list' | 'get' | 'find'>;
  embeddings: EmbeddingService;
  guardrails: Pick<GuardrailService, 'moderate'>;
  speech: SpeechService;
  files: FileService;
  /** Opened last, since its jobs call all routes. */
  batch: () => BatchService;
};

export type OpenAiService = ReturnType<typeof createOpenAiService>;

/** OpenAI's API over the services of the platform. */
export function createOpenAiService(ports: OpenAiPorts) {
  const { chat, models, embeddings, guardrails, speech, files, batch } = ports;

  const canFillIn = ({ scope }: Call, name: string) =>
    models.find(name, scope.workspace_id, 'fim')?.capabilities.completion_fim === true &&
    models.find(name, scope.workspace_id, 'fim')?.engine.completeFim !== undefined;

  async function fileOf(scope: Scope, id: string) {
    try {
      return await files.get(scope, requireFileId(id));
    } catch (error) {
      throw isMissing(error) ? dialectErrors.stored_file_not_found(id) : error;
    }
  }

  async function jobIdOf(id: string): Promise<string> {
    const jobId = toJobId(id);
    if (jobId === undefined) throw dialectErrors.batch_not_found(id);
    return jobId;
  }

  const named = (id: string) => (error: unknown) => {
    const isUnknown = error instanceof ApiError && error.code === batchErrors.batch_job_not_found.code;
    throw isUnknown ? dialectErrors.batch_not_found(id) : error;
  };

  return {
    models: {
      list: (scope: Scope) => ({ object: 'list' as const, data: models.list(scope, {}).map(renderModel) }),
      get: (scope: Scope, id: string) => renderModel(models.get(scope, id)),
    },

    complete(asked: Call, body: OpenAiChatRequest): Promise<OpenAiChatCompletion> {
      const call = body.store === false ? asPrivate(asked) : asked;
      const completion = withAgent(ports, call, toCompletion(body, call));
      return completion instanceof Promise
        ? completion.then((applied) => chat.complete(call, applied, renderCompletion))
        : chat.complete(call, completion, renderCompletion);
    },

    async stream(asked: Call, body: OpenAiChatRequest): Promise<AsyncIterable<string>> {
      const call = body.store === false ? asPrivate(asked) : asked;
      const options = streamOptions(body);
      const completion = await withAgent(ports, call, toCompletion(body, call));
      return chat.stream(call, completion, (head, shown) => new OpenAiChunkWriter(head, shown, options));
    },

    async completeText(call: Call, body: OpenAiCompletionRequest): Promise<OpenAiCompletion> {
      const parts: PartOfCompletion[] = [];
      const isFim = canFillIn(call, body.model);
      refuseUnfit(body, isFim);
      for (const prompt of [body.prompt].flat()) {
        const render = (completion: PartOfCompletion['completion'], head: PartOfCompletion['head']) => ({
          completion,
          head,
        });
        parts.push(
          isFim
            ? await chat.completeFim(call, toFim(body, prompt), render)
            : await chat.complete(call, await withAgent(ports, call, toChat(body, prompt)), render),
        );
      }
      return renderTextCompletion(parts);
    },

    async streamText(call: Call, body: OpenAiCompletionRequest): Promise<AsyncIterable<string>> {
      const [prompt = '', ...others] = [body.prompt].flat();
      if (others.length > 0)
        throw dialectErrors.option_unsupported('stream', 'only one prompt at a time can be streamed.');
      const options = streamOptions(body);
      const isFim = canFillIn(call, body.model);
      refuseUnfit(body, isFim);
      const createWriter = (head: PartOfCompletion['head'], shown: never) => new TextChunkWriter(head, shown, options);
      return isFim
        ? chat.streamFim(call, toFim(body, prompt), createWriter as never)
        : chat.stream(call, await withAgent(ports, call, toChat(body, prompt)), createWriter as never);
    },

    async embed(call: Call, { model, input, dimensions, encoding_format, user }: OpenAiEmbeddingRequest) {
      if (user) call.setHeader('tramontane-ignored', 'user');
      const response = await embeddings.embed(call, {
        model,
        input: await textsOf(input),
        output_dtype: 'float',
        encoding_format: encoding_format ?? 'float',
        ...(typeof dimensions === 'number' && { output_dimension: dimensions }),
      });
      const { prompt_tokens, total_tokens } = response.usage;
      return {
        object: 'list' as const,
        data: response.data.map(({ embedding = [], index = 0 }) => ({
          object: 'embedding' as const,
          index,
          embedding,
        })),
        model: response.model,
        usage: { prompt_tokens, total_tokens },
      };
    },

    async moderate(call: Call, { model, input }: OpenAiModerationRequest) {
      const known = model && !/^(omni|text)-moderation/.test(model) ? model : MODERATION_MODEL;
      const texts = [input].flat().map((part) => (typeof part === 'string' ? part : part.text));
      return renderModeration(await guardrails.moderate(call, known, texts));
    },

    async speak(call: Call, body: OpenAiSpeechRequest): Promise<Sound> {
      return toSound(body, await speech.speak(call, toSpeechRequest(body, call)));
    },

    async streamSpeech(call: Call, body: OpenAiSpeechRequest): Promise<AsyncIterable<SseEvent>> {
      return toSpeechEvents(await speech.stream(call, { ...toSpeechRequest(body, call), stream: true }));
    },

    files: {
      bytesMax: () => files.bytesMax,
      stage: files.stage,
      async upload(scope: Scope, fields: OpenAiFileUpload, upload: Upload<never>): Promise<OpenAiFile> {
        const seconds = fields['expires_after[seconds]'];
        const expiry = seconds === undefined ? null : Math.ceil(seconds / HOUR_SECONDS);
        const purpose = toPurpose(fields.purpose);
        return renderFile(await files.upload(scope, { purpose, visibility: 'workspace', expiry }, upload));
      },
      async list(scope: Scope, query: OpenAiFilesQuery): Promise<Page<OpenAiFile>> {
        const { after, order = 'desc', limit = LIST_LIMIT.files } = query;
        const from = after === undefined ? undefined : (await fileOf(scope, after)).id;
        const filter = toFilter(query.purpose);
        const found = filter ? await files.listAfter(scope, filter, { after: from, order, limit: limit + 1 }) : [];
        return toPage(found.map(renderFile), limit);
      },
      get: async (scope: Scope, id: string): Promise<OpenAiFile> => renderFile(await fileOf(scope, id)),
      async remove(scope: Scope, id: string) {
        const { id: fileId } = await fileOf(scope, id);
        await files.remove(scope, fileId);
        return { id: openAiFileId(fileId), object: 'file', deleted: true as const };
      },
      async open(scope: Scope, id: string): Promise<OpenFile> {
        return files.open(scope, (await fileOf(scope, id)).id);
      },
    },

    batches: {
      async create(scope: Scope, body: OpenAiBatchRequest): Promise<OpenAiBatch> {
        const { id } = await fileOf(scope, body.input_file_id);
        const job = await batch().create(scope, {
          input_files: [id],
          endpoint: toEndpoint(body.endpoint),
          metadata: body.metadata ?? null,
          timeout_hours: 24,
        });
        return renderBatch(job);
      },
      async list(scope: Scope, query: OpenAiBatchesQuery): Promise<Page<OpenAiBatch>> {
        const { after, limit = LIST_LIMIT.batches } = query;
        const from = after === undefined ? undefined : await jobIdOf(after);
        const found = batch().listAfter(scope, from, limit + 1);
        return toPage((await found.catch(named(after ?? ''))).map(renderBatch), limit);
      },
      get: async (call: Pick<RequestContext, 'scope' | 'setHeader'>, id: string): Promise<OpenAiBatch> =>
        renderBatch(
          await batch()
            .get(call, await jobIdOf(id), false)
            .catch(named(id)),
        ),
      cancel: async (scope: Scope, id: string): Promise<OpenAiBatch> =>
        renderBatch(
          await batch()
            .cancel(scope, await jobIdOf(id))
            .catch(named(id)),
        ),
    },
  };
}

function renderModel({ id, created, owned_by }: { id: string; created?: number | undefined; owned_by: string }) {
  return { id, object: 'model' as const, created: created ?? 0, owned_by };
}

function streamOptions({ stream_options }: Pick<OpenAiChatRequest, 'stream_options'>) {
  const { include_usage = false, include_obfuscation = true } = stream_options ?? {};
  return { includesUsage: include_usage, isPadded: include_obfuscation };
}

/** What only one of the two kinds of models can follow. */
function refuseUnfit(body: OpenAiCompletionRequest, isFim: boolean): void {
  if (!isFim && body.suffix)
    throw dialectErrors.option_unsupported('suffix', `the model '${body.model}' cannot fill in the middle.`);
  if (!isFim) return;
  const unfit = (['n', 'presence_penalty', 'frequency_penalty', 'logit_bias'] as const).find((name) => {
    const value = body[name];
    return name === 'n' ? (body.n ?? 1) > 1 : value !== null && value !== undefined && value !== 0;
  });
  if (unfit) throw dialectErrors.option_unsupported(unfit, 'a model that fills in the middle does not know it.');
}

async function textsOf(input: OpenAiEmbeddingRequest['input']): Promise<string | string[]> {
  if (typeof input === 'string') return input;
  const [first] = input;
  if (typeof first === 'number') return decodeTokens([input as number[]]);
  return Array.isArray(first) ? decodeTokens(input as number[][]) : (input as string[]);
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

function requireFileId(id: string): string {
  const fileId = toFileId(id);
  if (!UUID.test(fileId)) throw dialectErrors.stored_file_not_found(id);
  return fileId;
}

function isMissing(error: unknown): boolean {
  return error instanceof ApiError && error.status === 404;
}
