import type { Clock } from '../kit/base/clock.ts';
import { hexId } from '../kit/base/ids.ts';
import { type Call, type Meter, startRun } from '../metering/index.ts';
import {
  adviseConfiguration,
  canEmbed,
  deprecationHeaders,
  type Model,
  type ModelService,
  modelErrors,
} from '../models/index.ts';
import { tenantOf } from '../tenants/index.ts';
import { encodeVector, shorten } from './encode-vector.ts';
import { embeddingErrors } from './errors.ts';
import type { EmbeddingRequest, EmbeddingResponse } from './schema.ts';

const CHARACTERS_PER_TOKEN = 4;
const TEXTS_MAX = 512;
const TOKENS_PER_TEXT_MAX = 8192;
const TOKENS_PER_REQUEST_MAX = 16_384;
/** No tokenizer makes a token of more than this many characters on average; longer requests need no counting. */
const CHARACTERS_PER_REQUEST_MAX = TOKENS_PER_REQUEST_MAX * 100;

export type EmbeddingService = { embed(call: Call, request: EmbeddingRequest): Promise<EmbeddingResponse> };

export type EmbeddingPorts = { models: Pick<ModelService, 'find'>; meter: Meter; now: Clock };

export function createEmbeddingService({ models, meter, now }: EmbeddingPorts): EmbeddingService {
  return {
    async embed(call, request) {
      const { scope, signal, setHeader } = call;
      const model = models.find(request.model, scope.workspace_id, 'embeddings');
      if (!model) throw modelErrors.unknown_model(request.model, adviseConfiguration('embeddings', request.model));
      for (const [name, value] of Object.entries(deprecationHeaders(model))) setHeader(name, value);
      const embed = embedderOf(model);
      const texts = checkTexts(request.input);
      const estimatedTokens = estimateTokens(texts);
      const run = await startRun({ now, meter }, call, { kind: 'embeddings', model: model.id, estimatedTokens });
      try {
        // Counted first, where the engine can, so that nothing is computed for a request that is too long.
        const tenant = tenantOf(scope);
        const counts = await model.engine.countTokens?.(texts, signal, tenant);
        if (counts) checkTokens(counts);
        const dimension = request.output_dimension ?? undefined;
        const { vectors, promptTokens } = await embed(texts, signal, dimension, run, tenant);
        // An upstream counts only afterwards, and all texts together; the limits are the same.
        if (texts.length === 1) checkTokens([promptTokens]);
        else checkTotal(promptTokens);
        const response = renderResponse(model.id, request, vectors, promptTokens);
        run.settle(200);
        return response;
      } catch (error) {
        throw run.fail(error);
      }
    },
  };
}

function renderResponse(
  model: string,
  request: EmbeddingRequest,
  vectors: Float32Array[],
  promptTokens: number,
): EmbeddingResponse {
  const dimension = dimensionOf(request, vectors[0]?.length ?? 0);
  const cut = (vector: Float32Array) => (dimension < vector.length ? shorten(vector, dimension) : vector);
  return {
    id: hexId(),
    object: 'list',
    model,
    usage: { prompt_tokens: promptTokens, completion_tokens: 0, total_tokens: promptTokens },
    data: vectors.map((vector, index) => ({
      object: 'embedding',
      embedding: encodeVector(cut(vector), request.output_dtype, request.encoding_format),
      index,
    })),
  };
}

function estimateTokens(texts: string[]): number {
  return Math.ceil(texts.reduce((sum, text) => sum + text.length, 0) / CHARACTERS_PER_TOKEN);
}

function checkTexts(input: string | string[]): string[] {
  const texts = typeof input === 'string' ? [input] : input;
  if (texts.length === 0 || texts.some((text) => text === '')) throw embeddingErrors.nothing_to_embed();
  if (texts.length > TEXTS_MAX) throw embeddingErrors.too_many_texts(TEXTS_MAX, texts.length);
  if (texts.reduce((sum, text) => sum + text.length, 0) > CHARACTERS_PER_REQUEST_MAX)
    throw embeddingErrors.too_many_tokens(TOKENS_PER_REQUEST_MAX);
  return texts;
}

function checkTokens(tokens: number[]): void {
  checkTotal(tokens.reduce((sum, count) => sum + count, 0));
  const index = tokens.findIndex((count) => count > TOKENS_PER_TEXT_MAX);
  if (index >= 0) throw embeddingErrors.text_too_long(index, tokens[index], TOKENS_PER_TEXT_MAX);
}

function checkTotal(tokens: number): void {
  if (tokens > TOKENS_PER_REQUEST_MAX) throw embeddingErrors.too_many_tokens(TOKENS_PER_REQUEST_MAX);
}

function embedderOf(model: Model) {
  const { engine } = model;
  if (!engine.embed || !canEmbed(model)) throw embeddingErrors.model_cannot_embed(model.id);
  return engine.embed.bind(engine);
}

function dimensionOf({ output_dimension: asked }: EmbeddingRequest, actual: number): number {
  if (asked === undefined || asked === null) return actual;
  if (asked > actual) throw embeddingErrors.dimension_too_large(asked, actual);
  return asked;
}
