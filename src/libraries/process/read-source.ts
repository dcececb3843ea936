import {
  type Block,
  type DocumentEntry,
  detectFormat,
  engineErrors,
  type ReadEngine,
  type ReadResult,
} from '../../engines/read/index.ts';
import type { OpenBlob } from '../../kit/blobs/index.ts';
import type { Call } from '../../metering/index.ts';
import { tenantOf } from '../../tenants/index.ts';
import type { ReadingPorts, RecognizedPage } from '../ports.ts';
import type { DocumentRow } from '../store/tables.ts';
import { toBlocks } from './to-blocks.ts';

const HEAD_BYTES = 4096;
/** Pages that are recognized at a time; then the progress is shown. */
const PAGES_AT_ONCE = 40;
const PAGES_MAX = 5000;

export type SourcePorts = ReadingPorts & { reader: ReadEngine; chunkCharacters: number };

type Source = { document: Pick<DocumentRow, 'name' | 'mime_type'>; content: OpenBlob; chunkCharacters: number };
type Unplaced = Pick<RecognizedPage, 'markdown' | 'margins'>;
type Recognized = { blocks: Block[] } | { pages: Unplaced[] };
type Follow = { onEntry(entry: DocumentEntry): Promise<void>; onProgress(text: string): Promise<void> };

/** Text, pages and chunks of a document, by whoever can read its format. */
export async function readSource(ports: SourcePorts, call: Call, source: Source, follow: Follow): Promise<ReadResult> {
  const { reader } = ports;
  const { document, content, chunkCharacters } = source;
  const { name: filename, mime_type: mimetype } = document;
  const tenant = tenantOf(call.scope);
  const head = await readHead(content);
  const format = detectFormat(head, filename, mimetype);
  const split = (given: Recognized) => reader.read({ tenant, source: given, chunkCharacters }, call.signal);
  if (format === 'pages') return split(await recognizeAll(ports, call, await collect(content), follow));
  if (format === 'audio') {
    const { text, language } = await ports.transcribe(call, content.stream(), filename);
    const blocks = [{ kind: 'text' as const, text: text.trim(), page: null }].filter(({ text: said }) => said !== '');
    if (blocks.length === 0) throw engineErrors.document_empty('Nothing is said in the recording.');
    const read = await split({ blocks });
    return { ...read, language: language ?? read.language };
  }
  const bytes = await collect(content);
  return reader.read({ tenant, source: { bytes, filename, mimetype }, chunkCharacters }, call.signal, follow.onEntry);
}

async function recognizeAll(
  ports: ReadingPorts,
  call: Call,
  bytes: Uint8Array,
  { onProgress }: Follow,
): Promise<Recognized> {
  const blocks: Block[] = [];
  const pages: Unplaced[] = [];
  let isPlaced = true;
  let count = 1;
  for (let first = 0; first < count; first += PAGES_AT_ONCE) {
    const part = await ports.recognize(call, bytes, { first, last: first + PAGES_AT_ONCE - 1 });
    count = part.pageCount;
    if (count > PAGES_MAX)
      throw engineErrors.document_too_large(`The document has ${count} pages; ${PAGES_MAX} are the limit.`);
    for (const page of part.pages) {
      const found = toBlocks(page, pages.length);
      isPlaced &&= found !== undefined;
      blocks.push(...(found ?? []));
      pages.push({ markdown: page.markdown, margins: page.margins });
    }
    if (first + PAGES_AT_ONCE < count) await onProgress(`${pages.length} of ${count} pages`);
  }
  if (blocks.length === 0 && pages.every(({ markdown, margins }) => [markdown, ...margins].join('').trim() === ''))
    throw engineErrors.document_empty('No text was found on its pages.');
  return isPlaced ? { blocks } : { pages };
}

async function readHead(content: OpenBlob): Promise<Uint8Array> {
  if (content.bytes === 0) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  for await (const chunk of content.stream({ start: 0, end: HEAD_BYTES - 1 })) chunks.push(chunk);
  return Buffer.concat(chunks);
}

async function collect(content: OpenBlob): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of content.stream()) chunks.push(chunk);
  return Buffer.concat(chunks);
}
