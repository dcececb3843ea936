import { createReadStream, statSync } from 'node:fs';
import { Readable } from 'node:stream';
import { hexId } from '../../kit/base/ids.ts';
import type { TranscribeRequest } from '../transcribe/transcription-engine.ts';
import type { UpstreamCall } from './open-response.ts';
import type { KnownTarget } from './target.ts';

const UNKNOWN_FORMAT = /response_format|verbose_json|timestamp_granularities/i;
const UNKNOWN_STREAM = /\bstream(ing|ed)?\b/i;

/** `content` where the audio is in memory. */
export type UpstreamAudio = TranscribeRequest & { content?: Buffer };

/** The audio as a form, read from disk while it is sent. Times are asked for in OpenAI's words, or in Mistral's. */
export function transcriptionCall(request: UpstreamAudio): UpstreamCall {
  const refusing = new Set<KnownTarget>();
  const wholeOnly = new Set<KnownTarget>();
  return {
    build(target) {
      const isMistral = refusing.has(target) || /(^|\.)mistral\.ai$/.test(new URL(target.origin).hostname);
      const fields: Field[] = [['model', target.model], ...commonFields(request), ...timeFields(request, isMistral)];
      if (request.streams && !wholeOnly.has(target)) fields.push(['stream', 'true']);
      return { path: '/audio/transcriptions', ...writeForm(fields, request) };
    },
    adapt(target, status, text) {
      if (status !== 422 && status !== 400) return false;
      const refused =
        request.streams && UNKNOWN_STREAM.test(text) ? wholeOnly : UNKNOWN_FORMAT.test(text) ? refusing : undefined;
      if (!refused || refused.has(target)) return false;
      refused.add(target);
      return true;
    },
  };
}

type Field = readonly [name: string, value: string];

function* commonFields({ language, temperature, contextBias = [], diarize }: TranscribeRequest): Generator<Field> {
  if (language !== undefined) yield ['language', language];
  if (temperature !== undefined) yield ['temperature', String(temperature)];
  if (diarize) yield ['diarize', 'true'];
  for (const word of contextBias) if (!/[\s,]/.test(word)) yield ['context_bias', word];
  if (contextBias.length > 0) yield ['prompt', contextBias.join(' ')];
}

function* timeFields({ hasWords, hasSegments, diarize }: TranscribeRequest, isMistral: boolean): Generator<Field> {
  const granularity = hasWords ? 'word' : hasSegments || diarize ? 'segment' : undefined;
  if (granularity === undefined) return;
  if (isMistral) yield ['timestamp_granularities', granularity];
  else {
    yield ['response_format', 'verbose_json'];
    yield ['timestamp_granularities[]', granularity];
  }
}

function writeForm(fields: readonly Field[], { file, filename = 'audio', content }: UpstreamAudio) {
  const boundary = `tramontane-${hexId()}`;
  const name = filename.replaceAll(/["\r\n\\]/g, '_');
  const texts = fields.map(
    ([field, value]) => `--${boundary}\r\ncontent-disposition: form-data; name="${field}"\r\n\r\n${value}\r\n`,
  );
  const head = Buffer.from(
    `${texts.join('')}--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="${name}"\r\ncontent-type: application/octet-stream\r\n\r\n`,
  );
  const tail = Buffer.from(`\r\n--${boundary}--\r\n`);
  const bytes = content?.length ?? statSync(file).size;
  return {
    body: Readable.from(content ? [head, content, tail] : join(head, file, tail)),
    headers: {
      'content-type': `multipart/form-data; boundary=${boundary}`,
      'content-length': String(head.length + bytes + tail.length),
    },
  };
}

async function* join(head: Buffer, file: string, tail: Buffer): AsyncGenerator<Buffer> {
  yield head;
  yield* createReadStream(file) as AsyncIterable<Buffer>;
  yield tail;
}
