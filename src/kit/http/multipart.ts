import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { Busboy, type BusboyHeaders, type BusboyInstance } from '@fastify/busboy';
import { BlobTooLarge, type StagedBlob } from '../blobs/index.ts';
import type { ApiError, ValidationFailed, ValidationItem } from './errors.ts';
import { requestErrors } from './request-errors.ts';

/** How a route takes a file beside its text fields: it is stored while it arrives, wherever it is in the body. */
export type UploadRule<Content extends StagedBlob = StagedBlob> = {
  /** The name of the part that holds the file. */
  part: string;
  bytesMax: () => number;
  stage: (content: AsyncIterable<Uint8Array>, bytesMax: number) => Promise<Content>;
  /** The request may have no file, or be JSON instead. */
  isOptional?: boolean;
  /** Fields that may come several times, as lists do; also as `name[]`. */
  repeats?: readonly string[];
  /** Of one text field; default 64 KiB. */
  fieldBytesMax?: number;
};

export type Upload<Content extends StagedBlob = StagedBlob> = {
  filename: string;
  /** As declared by the client; the content was not inspected. */
  mimetype: string | null;
  content: Content;
};

export type Multipart = {
  fields: Record<string, string | string[]>;
  upload: Upload | undefined;
  mistakes: ValidationItem[];
};

const FIELD_BYTES_MAX = 64 * 1024;
const PARTS_MAX = 32;
/** For routes whose fields may repeat. */
const REPEATED_PARTS_MAX = 512;
const HEADER_BYTES_MAX = 16 * 1024;
/** How long the parser may stay silent after it got the whole body. */
const UNFINISHED_MS = 100;
/** Allowance for boundaries, headers and fields beside the file. */
const ENVELOPE_BYTES_MAX = 1024 * 1024;

export function isMultipart(contentType: string | undefined): boolean {
  return /^multipart\/form-data(;|$)/i.test(contentType ?? '');
}

/** Reads the whole body. When it fails or the client disconnects, nothing staged remains. */
export async function readMultipart(request: IncomingMessage, rule: UploadRule): Promise<Multipart> {
  const bytesMax = rule.bytesMax();
  if (Number(request.headers['content-length'] ?? 0) > bytesMax + ENVELOPE_BYTES_MAX) throw tooLarge(bytesMax);
  const fields: Record<string, string | string[]> = Object.create(null);
  const mistakes: ValidationItem[] = [];
  let staging: Promise<Upload> | undefined;
  let open: Readable | undefined;
  const parser = openParser(request, rule);
  let watch: NodeJS.Timeout | undefined;
  try {
    await new Promise<void>((resolve, reject) => {
      const left = () => reject(requestErrors.upload_interrupted('The upload was interrupted. Send it again.'));
      request.once('close', () => !request.complete && left()).once('error', left);
      parser.on('error', (error: unknown) => reject(malformed(describe(error))));
      parser.once('partsLimit', () => reject(malformed(`more than ${partsMaxOf(rule)} parts`)));
      parser.on('field', (name: string | undefined, value: string, _: boolean, isTruncated: boolean) => {
        const list = rule.repeats?.find((field) => name === field || name === `${field}[]`);
        mistakes.push(...judgeField(rule, list === undefined ? fields : {}, name, isTruncated));
        if (list !== undefined) fields[list] = [...(fields[list] ?? []), value];
        else if (name !== undefined) fields[name] = value;
      });
      parser.on(
        'file',
        (name: string | undefined, content: Readable, filename: string | undefined, _, mimetype: string) => {
          content.on('error', () => undefined);
          if (name !== rule.part || staging) {
            mistakes.push(extra(name ?? '', filename ?? null));
            return void content.resume();
          }
          open = content;
          staging = rule.stage(content, bytesMax).then((staged) => ({
            filename: filename || rule.part,
            mimetype: mimetype || null,
            content: staged,
          }));
          staging.catch(reject);
        },
      );
      parser.once('finish', resolve);
      // The parser emits nothing for some bodies that end within a part's headers.
      request.once('end', () => {
        watch = setInterval(() => {
          const isWorking = parser.writableLength > 0 || (open !== undefined && !open.readableEnded && !open.destroyed);
          if (!isWorking) reject(malformed('its end is missing'));
        }, UNFINISHED_MS);
      });
      request.pipe(parser);
    });
    const upload = await staging;
    if (!upload && !rule.isOptional && !(rule.part in fields)) mistakes.push(missing(rule.part));
    delete fields[rule.part];
    return { fields, upload, mistakes };
  } catch (error) {
    request.unpipe(parser);
    // The rest is read and dropped, so that the client reads the response.
    request.resume();
    open?.destroy(new Error('The upload was given up.'));
    await staging?.then(
      ({ content }) => content.discard(),
      () => undefined,
    );
    throw error instanceof BlobTooLarge ? tooLarge(bytesMax) : error;
  } finally {
    clearInterval(watch);
  }
}

function openParser(request: IncomingMessage, rule: UploadRule): BusboyInstance {
  try {
    return new Busboy({
      headers: request.headers as BusboyHeaders,
      limits: {
        fieldSize: rule.fieldBytesMax ?? FIELD_BYTES_MAX,
        parts: partsMaxOf(rule),
        headerPairs: PARTS_MAX,
        headerSize: HEADER_BYTES_MAX,
      },
    });
  } catch (error) {
    request.resume();
    throw malformed(describe(error));
  }
}

function partsMaxOf({ repeats }: UploadRule): number {
  return repeats ? REPEATED_PARTS_MAX : PARTS_MAX;
}

function judgeField(
  { part: filePart, fieldBytesMax = FIELD_BYTES_MAX }: UploadRule,
  fields: Record<string, string | string[]>,
  name: string | undefined,
  isTruncated: boolean,
): ValidationItem[] {
  if (name === undefined) return [value('', 'a part without a name')];
  if (name === filePart) return [value(name, 'expected a file, with a filename')];
  if (name in fields) return [value(name, 'the field is there twice')];
  return isTruncated ? [value(name, `more than ${fieldBytesMax} bytes`)] : [];
}

function tooLarge(bytesMax: number): ApiError {
  return requestErrors.body_too_large(`The file is larger than ${bytesMax} bytes, the limit of this server.`);
}

function malformed(why: string): ValidationFailed {
  return requestErrors.multipart_invalid(['body'], `The body is not valid multipart/form-data: ${why}`, null);
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function extra(name: string, input: string | null): ValidationItem {
  return { type: 'extra_forbidden', loc: ['body', name], msg: 'Extra inputs are not permitted', input };
}

function missing(name: string): ValidationItem {
  return { type: 'missing', loc: ['body', name], msg: 'Field required', input: null };
}

function value(name: string, what: string): ValidationItem {
  return { type: 'value_error', loc: ['body', name], msg: `Value error, ${what}`, input: null };
}
