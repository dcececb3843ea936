import type { FileService } from '../files/index.ts';
import { ApiError, type Scope } from '../kit/http/index.ts';
import { type Outbound, OutboundError, OutboundTooLarge } from '../kit/outbound/index.ts';
import { ocrErrors } from './errors.ts';
import type { OCRRequest } from './schema.ts';

const DATA_ADDRESS = /^data:[^,]*;base64,/i;
const OWN_LINK = /^\/v1\/files\/([0-9a-f-]{36})\/download$/i;
const MEBIBYTE = 1024 * 1024;

export type FetchPorts = {
  files: Pick<FileService, 'open' | 'openSigned'>;
  outbound: Pick<Outbound, 'fetch'>;
  bytesMax: number;
};

/** The bytes of the document, wherever it is: a file of the workspace, in the request itself, or at an address. */
export async function fetchDocument(
  { files, outbound, bytesMax }: FetchPorts,
  scope: Scope,
  document: OCRRequest['document'],
  signal: AbortSignal,
): Promise<Uint8Array> {
  if ('file_id' in document) return collect((await files.open(scope, document.file_id)).content.stream(), bytesMax);
  const address = addressOf(document);
  const data = DATA_ADDRESS.exec(address);
  if (data) return decode(address.slice(data[0].length), bytesMax);
  if (!URL.canParse(address) || !/^https?:$/.test(new URL(address).protocol))
    throw ocrErrors.invalid_document_url('The document is neither an http address nor a data address in base64.');
  return (await openOwnLink(address)) ?? download(address);

  /** A signed link of this server is opened directly; the guard of outbound requests would stop it. */
  async function openOwnLink(url: string): Promise<Uint8Array | undefined> {
    const { pathname, searchParams } = new URL(url);
    const [, id] = OWN_LINK.exec(pathname) ?? [];
    const [expires, signature] = [Number(searchParams.get('expires')), searchParams.get('signature')];
    if (id === undefined || !signature || !Number.isSafeInteger(expires)) return undefined;
    const opened = await files.openSigned(id, { expires, signature }).catch((error: unknown) => {
      // Not one of ours, or not valid: then it is an address like any other.
      if (error instanceof ApiError && error.status === 403) return undefined;
      throw error;
    });
    return opened && collect(opened.content.stream(), bytesMax);
  }

  async function download(url: string): Promise<Uint8Array> {
    try {
      const response = await outbound.fetch(url, { signal });
      if (response.status === 200) return await response.bytes();
      response.discard();
      throw ocrErrors.document_fetch_failed(`The address of the document answered ${response.status}.`);
    } catch (error) {
      if (error instanceof OutboundTooLarge) throw tooLarge(bytesMax);
      if (error instanceof OutboundError) throw ocrErrors.document_fetch_failed(error.message, { cause: error });
      throw error;
    }
  }
}

/** A download link of this server; it may still be one of another. */
export function isOwnLink(address: string): boolean {
  return OWN_LINK.test(URL.parse(address)?.pathname ?? '');
}

function addressOf(document: Exclude<OCRRequest['document'], { file_id: string }>): string {
  if ('document_url' in document) return document.document_url;
  return typeof document.image_url === 'string' ? document.image_url : document.image_url.url;
}

function decode(base64: string, bytesMax: number): Uint8Array {
  const bytes = Buffer.from(base64, 'base64');
  if (bytes.length > bytesMax) throw tooLarge(bytesMax);
  // Node skips what is not base64; the engine then reports a damaged document.
  if (bytes.length === 0) throw ocrErrors.invalid_document_url('The data address holds no document in base64.');
  return bytes;
}

async function collect(content: AsyncIterable<Uint8Array>, bytesMax: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of content) {
    bytes += chunk.length;
    if (bytes > bytesMax) throw tooLarge(bytesMax);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function tooLarge(bytesMax: number): ApiError {
  return ocrErrors.document_file_too_large(Math.floor(bytesMax / MEBIBYTE));
}
