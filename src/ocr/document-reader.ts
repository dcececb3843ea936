import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import type { DocumentChunk, DocumentReader, ReadDocument } from '../chat/index.ts';
import type { Clock } from '../kit/base/clock.ts';
import { type Call, type Meter, startRun } from '../metering/index.ts';
import { tenantOf } from '../tenants/index.ts';
import { chooseReader, type ReaderModels } from './choose-reader.ts';
import { createDocumentCache } from './document-cache.ts';
import { ocrErrors } from './errors.ts';
import { type FetchPorts, fetchDocument, isOwnLink } from './fetch-document.ts';

/** Plain text needs no OCR; beyond this it is no message any more. */
const TEXT_BYTES_MAX = 4 * 1024 * 1024;

export type DocumentReaderPorts = FetchPorts & { models: ReaderModels; meter: Meter; now: Clock };

/** Reads documents that are sent in messages. What was read is kept for a while: a conversation sends it every turn. */
export function createDocumentReader(ports: DocumentReaderPorts): DocumentReader {
  const { models, meter, now } = ports;
  const cache = createDocumentCache(now);

  async function recognize(call: Call, bytes: Uint8Array, pagesMax: number, isPart: boolean): Promise<ReadDocument> {
    const { scope, signal } = call;
    const { model, ocr } = chooseReader(models, scope.workspace_id, null);
    const run = await startRun({ now, meter }, call, { kind: 'ocr', model: model.id, estimatedTokens: 1, isPart });
    try {
      const { pages, pageCount = pages.length } = await ocr.read(
        {
          document: bytes,
          tenant: tenantOf(scope),
          pages: [[0, pagesMax - 1]],
          includeImages: true,
          extractHeader: false,
          extractFooter: false,
          includeBlocks: false,
        },
        signal,
        run,
      );
      run.settle(200);
      const shown = pages.map(({ markdown, images }) => ({
        markdown,
        images: images.flatMap(({ image_base64 }) => (image_base64 === null ? [] : [image_base64])),
      }));
      return { pages: shown, pageCount };
    } catch (error) {
      throw run.fail(error);
    }
  }

  return {
    async read(call, document, { pagesMax, isPart }) {
      const owner = call.scope.workspace_id;
      const address = addressToRemember(document);
      const source = address && hashOf(owner, address);
      const known = source && cache.find(source, pagesMax);
      if (known) return known;
      const bytes = await fetchDocument(ports, call.scope, document, call.signal);
      const content = hashOf(owner, bytes);
      const read =
        cache.find(content, pagesMax) ??
        (isText(bytes) ? readText(bytes) : await recognize(call, bytes, Math.max(pagesMax, 1), isPart));
      cache.keep(source ? [source, content] : [content], pagesMax, read);
      return read;
    },
  };
}

/** Public addresses only: whether somebody may still read a file of this server is asked every time. */
function addressToRemember(document: DocumentChunk): string | undefined {
  const address = document.type === 'document_url' ? document.document_url : '';
  return /^https?:/i.test(address) && !isOwnLink(address) ? address : undefined;
}

/** Of one workspace: another one must not learn by the time it takes that a document is known here. */
function hashOf(owner: string, content: string | Uint8Array): string {
  return createHash('sha256').update(owner).update('\0').update(content).digest('base64');
}

/** Neither a PDF nor a picture is valid UTF-8 without control characters. */
function isText(bytes: Uint8Array): boolean {
  return bytes.length > 0 && !bytes.subarray(0, 8192).some((byte) => byte < 9) && !isPdf(bytes) && isUtf8(bytes);
}

function isPdf(bytes: Uint8Array): boolean {
  return Buffer.from(bytes.subarray(0, 1024)).includes('%PDF-');
}

function readText(bytes: Uint8Array): ReadDocument {
  if (bytes.length > TEXT_BYTES_MAX) throw ocrErrors.document_file_too_large(TEXT_BYTES_MAX / 1024 / 1024);
  return { pages: [{ markdown: Buffer.from(bytes).toString('utf8'), images: [] }], pageCount: 1 };
}
