import type { z } from 'zod';
import type { Call } from '../metering/index.ts';
import type { Model } from '../models/index.ts';
import { chatErrors } from './errors.ts';
import { replaceChunks } from './replace-chunks.ts';
import type { ContentChunk, DocumentURLChunk, FileChunk } from './schema/content.ts';
import type { Message } from './schema/messages.ts';
import type { ChatCompletionRequest } from './schema/requests.ts';

/** Defaults of `document_page_limit` and `document_image_limit`; those of the public API. */
const PAGES_READ = 64;
const IMAGES_SHOWN = 8;
/** Each is read by a process that tenants share. */
const DOCUMENTS_MAX = 16;

export type DocumentChunk = z.infer<typeof DocumentURLChunk> | z.infer<typeof FileChunk>;

/** A document as a model reads it: Markdown, and pictures as data addresses. */
export type ReadDocument = {
  pages: { markdown: string; images: string[] }[];
  /** All pages of the document. */
  pageCount: number;
};

export type DocumentReader = {
  /** `isPart`: the request was admitted already, by its first document. */
  read(call: Call, document: DocumentChunk, options: { pagesMax: number; isPart: boolean }): Promise<ReadDocument>;
};

/** Cheap for every request: only lists of chunks are looked through. */
export function hasDocuments(messages: readonly Message[]): boolean {
  return messages.some(
    ({ role, content }) => role === 'user' && Array.isArray(content) && content.some((chunk) => isDocument(chunk)),
  );
}

/** Puts what the documents say in their place. Pictures are for models that see. */
export async function readDocuments(
  reader: DocumentReader | undefined,
  call: Call,
  body: ChatCompletionRequest,
  model: Model,
): Promise<ChatCompletionRequest> {
  const pagesMax = body.document_page_limit ?? PAGES_READ;
  let imagesLeft = model.capabilities.vision ? (body.document_image_limit ?? IMAGES_SHOWN) : 0;
  let read = 0;

  async function replace(chunk: ContentChunk): Promise<ContentChunk[]> {
    if (!isDocument(chunk)) return [chunk];
    if (!reader) throw chatErrors.content_chunk_unsupported('user', chunk.type);
    if (read === DOCUMENTS_MAX) throw chatErrors.list_too_long(`At most ${DOCUMENTS_MAX} documents can be sent.`);
    const document = await reader.read(call, chunk, { pagesMax, isPart: read++ > 0 });
    const images = document.pages.flatMap((page) => page.images).slice(0, imagesLeft);
    imagesLeft -= images.length;
    return [
      { type: 'text', text: describe(document, nameOf(chunk)) },
      ...images.map((image_url): ContentChunk => ({ type: 'image_url', image_url })),
    ];
  }

  // One after the other: the first document decides whether there is any work at all.
  return { ...body, messages: await replaceChunks(body.messages, replace) };
}

function isDocument(chunk: ContentChunk): chunk is DocumentChunk {
  return chunk.type === 'document_url' || chunk.type === 'file';
}

function nameOf(chunk: DocumentChunk): string | undefined {
  return chunk.type === 'document_url' ? (chunk.document_name ?? undefined) : undefined;
}

/** Marked as content with a beginning and an end, so that a model can tell it from what the user says. */
function describe({ pages, pageCount }: ReadDocument, name: string | undefined): string {
  const some = pages.length < pageCount ? `, the first ${pages.length} of ${pageCount} pages` : '';
  const text = pages.map(({ markdown }) => markdown.trim()).join('\n\n');
  return `[Document${name ? ` "${name}"` : ''}${some}]\n\n${text}\n\n[End of the document]`;
}
