import { setImmediate as nextTurn } from 'node:timers/promises';
import { oneAtATime, serveParent } from '../process/serve-parent.ts';
import { openDocument } from './open-document.ts';
import type { OpenedDocument } from './opened-document.ts';
import { loadPdfium, type Pdfium } from './pdf/pdfium.ts';
import type { OcrPart, OcrSettings, SliceRequest } from './protocol.ts';
import { readPages } from './read-pages.ts';
import { createRecognizer, type Recognizer } from './scan/recognizer.ts';

serveParent<OcrSettings, SliceRequest, OcrPart>(async ({ languageFiles, pagesMax, pixelsMax, pdfMemoryMib }) => {
  let pdfium: Promise<Pdfium> | undefined;
  let recognizer: Promise<Recognizer> | undefined;
  let current: { id: string; opened: OpenedDocument } | undefined;
  const tools = {
    pixelsMax,
    pdfium: () => (pdfium ??= loadPdfium(pdfMemoryMib)),
    recognizer: () => (recognizer ??= createRecognizer(languageFiles)),
  };

  async function open(id: string, document: Uint8Array = new Uint8Array()): Promise<OpenedDocument> {
    if (current?.id === id) return current.opened;
    close();
    current = { id, opened: await openDocument(document, tools) };
    return current.opened;
  }

  function close(): void {
    current?.opened.close();
    current = undefined;
  }

  return oneAtATime(async ({ id, document, sliceMs, ...request }, give, signal) => {
    const startedAt = performance.now();
    let isOver = true;
    try {
      for await (const part of readPages(await open(id, document), request, pagesMax)) {
        give(part);
        // Lets a cancellation in.
        await nextTurn();
        if (signal.aborted) return;
        if (!('counters' in part) || performance.now() - startedAt < sliceMs) continue;
        isOver = false;
        return;
      }
    } finally {
      if (isOver) close();
    }
  });
});
