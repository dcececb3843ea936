import { createOcrEngine, englishFile } from '../../src/engines/ocr/index.ts';
import { createReadEngine, type DocumentChunk } from '../../src/engines/read/index.ts';
import { languageWeightsForTests } from '../../src/engines/weights/weights-for-tests.ts';
import { createLog } from '../../src/kit/base/log.ts';
import type { SetDocument } from './make-set.ts';
import { writeDocument } from './write-document.ts';

/** As the libraries split. */
const CHUNK_CHARACTERS = 1200;
const MEBI = 2 ** 20;
const OCR_CODES = ['deu', 'fra', 'spa', 'ita', 'nld'];
const never = new AbortController().signal;

export type SetChunk = DocumentChunk & { documentId: string; title: string };

/** Writes each document in its format and reads it again, as the libraries do: pages by OCR, all others by their reader. */
export async function readSet(
  documents: SetDocument[],
  progress: (text: string) => void = () => undefined,
): Promise<SetChunk[]> {
  const languages = await Promise.all(OCR_CODES.map((code) => languageWeightsForTests(code)));
  const log = createLog('silent');
  const reader = createReadEngine({
    concurrency: 1,
    memoryMib: 512,
    documentMs: 60_000,
    textCharactersMax: MEBI,
    chunksMax: 1000,
    entriesMax: 10,
    unpackedBytesMax: 64 * MEBI,
    log,
  });
  const recognizer = createOcrEngine({
    languageFiles: [englishFile(), ...languages.flatMap((weights) => weights?.file ?? [])],
    concurrency: 1,
    memoryMib: 2048,
    pdfMemoryMib: 1024,
    pageMs: 120_000,
    documentMs: 240_000,
    pagesMax: 10,
    pixelsMax: 50_000_000,
    log,
  });
  try {
    const chunks: SetChunk[] = [];
    for (const document of documents) {
      progress(`retrieval: reading ${document.id}.${document.format}`);
      const { filename, bytes } = await writeDocument(document);
      const isPaged = document.format === 'pdf' || document.format === 'png';
      const source = isPaged ? { pages: await recognize(bytes) } : { bytes, filename, mimetype: null };
      const read = await reader.read({ source, chunkCharacters: CHUNK_CHARACTERS }, never);
      for (const chunk of read.chunks)
        chunks.push({ ...chunk, documentId: document.id, title: read.title ?? filename });
    }
    return chunks;
  } finally {
    await Promise.all([reader.close(), recognizer.close()]);
  }

  async function recognize(document: Uint8Array): Promise<{ markdown: string; margins: string[] }[]> {
    const wanted = { includeImages: false, extractHeader: false, extractFooter: false, includeBlocks: false };
    const result = await recognizer.ocr?.read({ document, ...wanted }, never);
    return (result?.pages ?? []).map(({ markdown }) => ({ markdown, margins: [] }));
  }
}
