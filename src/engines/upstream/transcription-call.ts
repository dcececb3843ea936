import { createReadStream, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
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

function writeForm(
  fields: readonly Field[],
  { file, filename = 'audio', content, speakerReferences = {} }: UpstreamAudio,
) {
  const boundary = `tramontane-${hexId()}`;
  const name = filename.replaceAll(/["\r\n\\]/g, '_');
  const fieldStart = (field: string) => `--${boundary}\r\ncontent-disposition: form-data; name="${field}"\r\n\r\n`;
  const texts = fields.map(([field, value]) => `${fieldStart(field)}${value}\r\n`);
  const speakers = writeReferences(speakerReferences, fieldStart('speaker_references'));
  const head = Buffer.from(
    `${texts.join('')}--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="${name}"\r\ncontent-type: application/octet-stream\r\n\r\n`,
  );
  const tail = Buffer.from(`\r\n--${boundary}--\r\n`);
  const bytes = content?.length ?? statSync(file).size;
  return {
    body: Readable.from(join([speakers.read(), [head], content ? [content] : readAudio(file), [tail]])),
    headers: {
      'content-type': `multipart/form-data; boundary=${boundary}`,
      'content-length': String(speakers.bytes + head.length + bytes + tail.length),
    },
  };
}

/** Recordings of known speakers as Mistral's API takes them: JSON with the sound in base64. */
function writeReferences(references: Readonly<Record<string, string>>, start: string) {
  const all = Object.entries(references).map(([name, file], index) => {
    const before = Buffer.from(`${index === 0 ? `${start}{` : '",'}${JSON.stringify(name)}:"`);
    return { file, before, bytes: before.length + 4 * Math.ceil(statSync(file).size / 3) };
  });
  const end = Buffer.from(all.length > 0 ? '"}\r\n' : '');
  async function* read(): AsyncGenerator<Buffer> {
    for (const { file, before } of all) {
      yield before;
      yield Buffer.from((await readFile(file)).toString('base64'));
    }
    yield end;
  }
  return { read, bytes: all.reduce((sum, { bytes }) => sum + bytes, end.length) };
}

async function* readAudio(file: string): AsyncGenerator<Buffer> {
  yield* createReadStream(file) as AsyncIterable<Buffer>;
}

async function* join(parts: readonly (AsyncIterable<Buffer> | Iterable<Buffer>)[]): AsyncGenerator<Buffer> {
  for (const part of parts) yield* part;
}
