import { Refusal } from '../process/protocol.ts';
import { oneAtATime, serveParent } from '../process/serve-parent.ts';
import type { OcrRequest } from './ocr-engine.ts';
import { loadPdfium, type Pdfium } from './pdf/pdfium.ts';
import type { OcrPart, OcrSettings } from './protocol.ts';
import { readDocument } from './read-document.ts';
import { createRecognizer, type Recognizer } from './scan/recognizer.ts';

// As text a response must stay shorter than what the server can write at once.
const RESPONSE_CHARACTERS_MAX = 128 * 1024 * 1024;

serveParent<OcrSettings, OcrRequest, OcrPart>(async ({ languageFiles, pagesMax, pixelsMax, pdfMemoryMib }) => {
  let pdfium: Promise<Pdfium> | undefined;
  let recognizer: Promise<Recognizer> | undefined;
  const tools = {
    pixelsMax,
    pdfium: () => (pdfium ??= loadPdfium(pdfMemoryMib)),
    recognizer: () => (recognizer ??= createRecognizer(languageFiles)),
  };
  return oneAtATime(async (request, give, signal) => {
    let characters = 0;
    for await (const part of readDocument(request, tools, pagesMax)) {
      if ('markdown' in part) {
        characters += part.markdown.length;
        for (const { image_base64 } of part.images) characters += image_base64?.length ?? 0;
      }
      if (characters > RESPONSE_CHARACTERS_MAX)
        throw new Refusal(
          'answer_too_large',
          'The pages hold more pictures than fit into one answer. Ask for fewer pages, or without include_image_base64.',
        );
      give(part);
      if (signal.aborted) return;
    }
  });
});
