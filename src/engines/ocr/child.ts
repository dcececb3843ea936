import type { OcrRequest } from './ocr-engine.ts';
import { loadPdfium, type Pdfium } from './pdf/pdfium.ts';
import type { FromReader, ReaderSettings, ToReader } from './protocol.ts';
import { readDocument } from './read-document.ts';
import { Refusal } from './refusal.ts';
import { createRecognizer, type Recognizer } from './scan/recognizer.ts';

// As text an answer must stay shorter than what the server can write at once.
const ANSWER_CHARACTERS_MAX = 128 * 1024 * 1024;

const settings = JSON.parse(process.argv[2] ?? '{}') as ReaderSettings;
let pdfium: Promise<Pdfium> | undefined;
let recognizer: Promise<Recognizer> | undefined;
let isCancelled = false;

// Without the server nobody reads the answers. Its end is told by the channel, however it ended.
process.on('disconnect', () => process.exit(0));
// A Ctrl-C or a service manager reaches every process at once; the server decides when requests are drained.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => undefined);

process.on('message', (message: ToReader) => {
  if (message.kind === 'cancel') isCancelled = true;
  else void read(message.request);
});

async function read(request: OcrRequest): Promise<void> {
  isCancelled = false;
  let characters = 0;
  try {
    for await (const news of readDocument(request, tools(), settings.pagesMax)) {
      if ('selected' in news) say({ kind: 'opened', ...news });
      else {
        characters +=
          news.markdown.length + news.images.reduce((sum, image) => sum + (image.image_base64?.length ?? 0), 0);
        if (characters > ANSWER_CHARACTERS_MAX) throw tooLong();
        say({ kind: 'page', page: news });
      }
      if (isCancelled) break;
    }
    say({ kind: 'done' });
  } catch (error) {
    if (error instanceof Refusal) say({ kind: 'refused', code: error.code, message: error.message });
    // A library that failed once may be in any state.
    else process.send?.({ kind: 'broken', reason: describe(error) } satisfies FromReader, () => process.exit(1));
  }
}

function tools() {
  return {
    pixelsMax: settings.pixelsMax,
    pdfium: () => (pdfium ??= loadPdfium(settings.pdfMemoryMib)),
    recognizer: () => (recognizer ??= createRecognizer(settings.languageFiles)),
  };
}

function tooLong(): Refusal {
  return new Refusal(
    'answer_too_large',
    'The pages hold more pictures than fit into one answer. Ask for fewer pages, or without include_image_base64.',
  );
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

function say(message: FromReader): void {
  // A server that has just gone does not take it; the end of the channel is what ends us.
  process.send?.(message, () => undefined);
}
