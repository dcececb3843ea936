import type { ChatRequest, FimRequest, SpeakRequest } from '../engine.ts';
import { MEDIA_TYPES, type OcrRequest, sniffType } from '../ocr/index.ts';
import type { UpstreamCall } from './open-response.ts';
import { charactersOf, chatBody, chatBodyInTurns, embeddingsBody, fimBody } from './request-body.ts';
import type { KnownTarget } from './target.ts';

const CHAT_PATH = '/chat/completions';

/** Longer conversations are encoded by turns. */
const LARGE_CHARACTERS = 512 * 1024;

const UNKNOWN_FIELD = /extra_forbidden|Extra inputs are not permitted/;

const UNKNOWN_DIMENSION = /dimension|matryoshka/i;

const UNKNOWN_FORMAT = /response_format|json_schema|json_object/;

export function chatCall(request: ChatRequest, stream: boolean, choices: number): UpstreamCall {
  const isLarge = charactersOf(request.messages) > LARGE_CHARACTERS;
  return {
    build({ model, dialect, knowsFormats }) {
      const form = { model, dialect, knowsFormats, stream, choices };
      if (isLarge) return chatBodyInTurns(request, form).then((body) => ({ path: CHAT_PATH, body }));
      return { path: CHAT_PATH, body: chatBody(request, form) };
    },
    adapt(target, status, text) {
      if (status !== 422 && status !== 400) return false;
      // Mistral servers, and we ourselves, refuse `seed` and `stream_options` by name.
      if (target.dialect === 'openai' && UNKNOWN_FIELD.test(text)) {
        target.dialect = 'mistral';
        return true;
      }
      if (!target.knowsFormats || request.format.type === 'text' || !UNKNOWN_FORMAT.test(text)) return false;
      target.knowsFormats = false;
      return true;
    },
  };
}

export function fimCall(request: FimRequest, stream: boolean, choices: number): UpstreamCall {
  return {
    build: ({ model, fimPath }) => ({
      path: fimPath,
      body: fimBody(request, {
        model,
        dialect: fimPath === '/fim/completions' ? 'mistral' : 'openai',
        stream,
        choices,
      }),
    }),
    adapt(target, status) {
      if (target.fimPath === '/completions' || (status !== 404 && status !== 405)) return false;
      target.fimPath = '/completions';
      return true;
    },
  };
}

/**
 * Servers that refuse the wanted length are asked for whole vectors, which are cut on our side. Nothing is kept of that: the
 * length may have been too long for just this model.
 */
export function embeddingsCall(texts: string[], dimension: number | undefined): UpstreamCall {
  const refusing = new Set<KnownTarget>();
  return {
    build: (target) => ({
      path: '/embeddings',
      body: embeddingsBody(texts, target, refusing.has(target) ? undefined : dimension),
    }),
    adapt(target, status, text) {
      if (dimension === undefined || refusing.has(target) || (status !== 422 && status !== 400)) return false;
      if (target.dialect === 'openai' && UNKNOWN_FIELD.test(text)) {
        target.dialect = 'mistral';
        return true;
      }
      if (!UNKNOWN_DIMENSION.test(text)) return false;
      refusing.add(target);
      return true;
    },
  };
}

const UNKNOWN_AUDIO = /response_format|pcm|format/i;

/** Raw samples can be passed on as they come; a server that does not have them is asked for a WAV file. */
export function speechCall({ text, voice, refAudio }: SpeakRequest): UpstreamCall {
  const refusing = new Set<KnownTarget>();
  return {
    build: (target) => ({
      path: '/audio/speech',
      body: JSON.stringify({
        model: target.model,
        input: text,
        voice,
        response_format: refusing.has(target) ? 'wav' : 'pcm',
        ...(refAudio === undefined ? {} : { ref_audio: Buffer.from(refAudio).toString('base64') }),
      }),
    }),
    adapt(target, status, text) {
      if (refusing.has(target) || (status !== 422 && status !== 400) || !UNKNOWN_AUDIO.test(text)) return false;
      refusing.add(target);
      return true;
    },
  };
}

/** As the platform whose API this is takes it; whatever was not asked for is left out, for servers that know less. */
export function ocrCall(request: OcrRequest): UpstreamCall {
  const { document, pages, includeImages, imageLimit, imageMinSize, tableFormat, confidence } = request;
  const type = sniffType(document);
  const address = `data:${type ? MEDIA_TYPES[type] : 'application/octet-stream'};base64,${Buffer.from(document).toString('base64')}`;
  return {
    build: ({ model }) => ({
      path: '/ocr',
      body: JSON.stringify({
        model,
        document:
          type === 'pdf' || type === undefined
            ? { type: 'document_url', document_url: address }
            : { type: 'image_url', image_url: address },
        ...(pages && { pages: pages.map(([first, last]) => (first === last ? first : `${first}-${last}`)).join(',') }),
        ...(includeImages && { include_image_base64: true }),
        ...(imageLimit !== undefined && { image_limit: imageLimit }),
        ...(imageMinSize !== undefined && { image_min_size: imageMinSize }),
        ...(tableFormat && { table_format: tableFormat }),
        ...(request.extractHeader && { extract_header: true }),
        ...(request.extractFooter && { extract_footer: true }),
        ...(!request.includeBlocks && { include_blocks: false }),
        ...(confidence && { confidence_scores_granularity: confidence }),
      }),
    }),
    adapt: () => false,
  };
}

/** Mistral, OpenAI and compatible servers share this path and body. */
export function rerankCall(query: string, texts: readonly string[]): UpstreamCall {
  return {
    build: ({ model }) => ({
      path: '/rerank',
      body: JSON.stringify({ model, query, documents: texts, top_n: texts.length }),
    }),
    adapt: () => false,
  };
}

export function moderationCall(texts: readonly string[]): UpstreamCall {
  return {
    build: ({ model }) => ({ path: '/moderations', body: JSON.stringify({ model, input: texts }) }),
    adapt: () => false,
  };
}

export function classificationCall(texts: readonly string[]): UpstreamCall {
  return {
    build: ({ model }) => ({ path: '/classifications', body: JSON.stringify({ model, input: texts }) }),
    adapt: () => false,
  };
}
