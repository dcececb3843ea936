import { type AnyRoute, raw, route, sse } from '../../kit/http/index.ts';
import { openAiErrorEvent } from '../openai/chunk-writer.ts';
import { SOUND_TYPES } from '../openai/speech.ts';
import {
  OpenAiBatch,
  OpenAiBatchesQuery,
  OpenAiBatchList,
  OpenAiBatchParams,
  OpenAiBatchRequest,
  OpenAiCompletion,
  OpenAiCompletionChunk,
  OpenAiCompletionRequest,
  OpenAiDeleted,
  OpenAiEmbeddingRequest,
  OpenAiEmbeddings,
  OpenAiFile,
  OpenAiFileList,
  OpenAiFileParams,
  OpenAiFilesQuery,
  OpenAiFileUpload,
  OpenAiModel,
  OpenAiModelList,
  OpenAiModelParams,
  OpenAiModeration,
  OpenAiModerationRequest,
  OpenAiSpeechEvent,
  OpenAiSpeechRequest,
} from '../schema/openai.ts';
import { OpenAiChatChunk, OpenAiChatCompletion, OpenAiChatRequest } from '../schema/openai-chat.ts';
import type { OpenAiService } from '../service/openai.ts';

const tags = ['openai'];
const failures = [404, 502, 504];
const OCTETS = 'application/octet-stream';

export function openAiRoutes(openai: OpenAiService): AnyRoute[] {
  const chat = { tags, permission: 'chat:write', largeBody: true, alsoAnswers: failures };
  const readFiles = { tags, permission: 'files:read' };
  const writeFiles = { tags, permission: 'files:write' };
  const readBatches = { tags, permission: 'batch:read' };
  const writeBatches = { tags, permission: 'batch:write' };
  return [
    route({
      tags,
      permission: 'models:read',
      method: 'GET',
      path: '/openai/v1/models',
      operationId: 'openai_models_list',
      summary: 'The models this key may use',
      response: OpenAiModelList,
      handler: ({ scope }) => openai.models.list(scope),
    }),
    route({
      tags,
      permission: 'models:read',
      method: 'GET',
      path: '/openai/v1/models/:model_id',
      operationId: 'openai_models_get',
      summary: 'One model, by its id or an alias',
      params: OpenAiModelParams,
      response: OpenAiModel,
      handler: ({ scope, params }) => openai.models.get(scope, params.model_id),
    }),
    route({
      ...chat,
      method: 'POST',
      path: '/openai/v1/chat/completions',
      operationId: 'openai_chat_completions_create',
      summary: 'Complete a chat, whole or as a stream',
      body: OpenAiChatRequest,
      response: OpenAiChatCompletion,
      streams: OpenAiChatChunk,
      handler: (call) =>
        call.body.stream ? openai.stream(call, call.body).then(toStream) : openai.complete(call, call.body),
    }),
    route({
      ...chat,
      method: 'POST',
      path: '/openai/v1/completions',
      operationId: 'openai_completions_create',
      summary: 'Complete a text, whole or as a stream',
      body: OpenAiCompletionRequest,
      response: OpenAiCompletion,
      streams: OpenAiCompletionChunk,
      handler: (call) =>
        call.body.stream ? openai.streamText(call, call.body).then(toStream) : openai.completeText(call, call.body),
    }),
    route({
      tags,
      permission: 'embeddings:write',
      largeBody: true,
      alsoAnswers: failures,
      method: 'POST',
      path: '/openai/v1/embeddings',
      operationId: 'openai_embeddings_create',
      summary: 'Texts, or lists of tokens, as vectors',
      body: OpenAiEmbeddingRequest,
      response: OpenAiEmbeddings,
      handler: (call) => openai.embed(call, call.body),
    }),
    route({
      tags,
      permission: 'moderation:write',
      largeBody: true,
      alsoAnswers: failures,
      method: 'POST',
      path: '/openai/v1/moderations',
      operationId: 'openai_moderations_create',
      summary: 'Classify texts by the categories of moderation',
      body: OpenAiModerationRequest,
      response: OpenAiModeration,
      handler: (call) => openai.moderate(call, call.body),
    }),
    route({
      tags,
      permission: 'speech:write',
      alsoAnswers: failures,
      method: 'POST',
      path: '/openai/v1/audio/speech',
      operationId: 'openai_audio_speech_create',
      summary: 'Say a text: a sound file, or events while it is spoken',
      body: OpenAiSpeechRequest,
      downloads: SOUND_TYPES,
      streams: OpenAiSpeechEvent,
      handler: async (call) =>
        call.body.stream_format === 'sse'
          ? sse(await openai.streamSpeech(call, call.body))
          : toFile(await openai.speak(call, call.body)),
    }),
    route({
      ...writeFiles,
      method: 'POST',
      path: '/openai/v1/files',
      operationId: 'openai_files_create',
      summary: 'Upload a file',
      creates: true,
      upload: {
        part: 'file',
        bytesMax: () => openai.files.bytesMax(),
        stage: (content, bytesMax) => openai.files.stage(content, bytesMax),
      },
      body: OpenAiFileUpload,
      response: OpenAiFile,
      handler: ({ scope, body, upload }) => openai.files.upload(scope, body, upload as never),
    }),
    route({
      ...readFiles,
      method: 'GET',
      path: '/openai/v1/files',
      operationId: 'openai_files_list',
      summary: 'List files, newest first',
      query: OpenAiFilesQuery,
      response: OpenAiFileList,
      handler: ({ scope, query }) => openai.files.list(scope, query),
    }),
    route({
      ...readFiles,
      method: 'GET',
      path: '/openai/v1/files/:file_id',
      operationId: 'openai_files_get',
      summary: 'Read the metadata of a file',
      params: OpenAiFileParams,
      response: OpenAiFile,
      handler: ({ scope, params }) => openai.files.get(scope, params.file_id),
    }),
    route({
      ...writeFiles,
      method: 'DELETE',
      path: '/openai/v1/files/:file_id',
      operationId: 'openai_files_delete',
      summary: 'Delete a file',
      params: OpenAiFileParams,
      response: OpenAiDeleted,
      handler: ({ scope, params }) => openai.files.remove(scope, params.file_id),
    }),
    route({
      ...readFiles,
      method: 'GET',
      path: '/openai/v1/files/:file_id/content',
      operationId: 'openai_files_content',
      summary: 'Download the content of a file',
      params: OpenAiFileParams,
      downloads: OCTETS,
      handler: async ({ scope, params }) => {
        const { content } = await openai.files.open(scope, params.file_id);
        return raw(content.stream(), OCTETS, {
          'content-length': String(content.bytes),
          'x-content-type-options': 'nosniff',
          'content-security-policy': "default-src 'none'; sandbox",
          'cache-control': 'private, no-store',
        });
      },
    }),
    route({
      ...writeBatches,
      method: 'POST',
      path: '/openai/v1/batches',
      operationId: 'openai_batches_create',
      summary: 'Run the requests of a JSONL file in the background',
      creates: true,
      body: OpenAiBatchRequest,
      response: OpenAiBatch,
      handler: ({ scope, body }) => openai.batches.create(scope, body),
    }),
    route({
      ...readBatches,
      method: 'GET',
      path: '/openai/v1/batches',
      operationId: 'openai_batches_list',
      summary: 'List batches, newest first',
      query: OpenAiBatchesQuery,
      response: OpenAiBatchList,
      handler: ({ scope, query }) => openai.batches.list(scope, query),
    }),
    route({
      ...readBatches,
      method: 'GET',
      path: '/openai/v1/batches/:batch_id',
      operationId: 'openai_batches_get',
      summary: 'Read a batch',
      params: OpenAiBatchParams,
      response: OpenAiBatch,
      handler: (call) => openai.batches.get(call, call.params.batch_id),
    }),
    route({
      ...writeBatches,
      method: 'POST',
      path: '/openai/v1/batches/:batch_id/cancel',
      operationId: 'openai_batches_cancel',
      summary: 'Cancel a batch; its results so far stay',
      params: OpenAiBatchParams,
      response: OpenAiBatch,
      handler: ({ scope, params }) => openai.batches.cancel(scope, params.batch_id),
    }),
  ];
}

const toStream = (events: AsyncIterable<string>) => sse(events, { toErrorEvent: openAiErrorEvent });

const toFile = ({ bytes, mediaType }: { bytes: Buffer; mediaType: string }) =>
  raw(bytes, mediaType, { 'content-length': String(bytes.length), 'cache-control': 'private, no-store' });
