import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { createWorker } from 'tesseract.js';
import { createOcrEngine, englishFile } from '../../src/engines/ocr/index.ts';
import { languageWeightsForTests } from '../../src/engines/weights/weights-for-tests.ts';
import { createLog } from '../../src/kit/base/log.ts';
import type { Page } from './pages.ts';
import type { LanguageCode } from './texts.ts';
import { wordAccuracy } from './word-accuracy.ts';

const LSTM_ONLY = 1;
/** What Tesseract's own command uses when it is told nothing. */
const AUTOMATIC = '3';
const never = new AbortController().signal;
const plain = { includeImages: false, extractHeader: false, extractFooter: false, includeBlocks: false };

export type Compared = {
  page: string;
  kind: string;
  language: LanguageCode;
  /** Word accuracies, from 0 to 1. */
  ours: number;
  bare: number;
  oursMs: number;
  bareMs: number;
  markdown: string;
};

type Reader = { read(document: Uint8Array): Promise<string>; close(): Promise<unknown> };

/** Each page by the engine and by the recognizer alone: same weights, same build, the file as it is sent. */
export async function compareReaders(
  pages: readonly Page[],
  progress: (text: string) => void = () => undefined,
): Promise<Compared[]> {
  const rows = new Map<Page, Compared>();
  // A language at a time, so that few models are in memory.
  for (const language of new Set(pages.map((page) => page.language))) {
    const file = await languageFile(language);
    const [ours, bare] = [openEngine(file), await openBare(language, file)];
    try {
      for (const page of pages.filter((candidate) => candidate.language === language)) {
        progress(`ocr-pages: ${page.name}`);
        rows.set(page, await compare(page, ours, bare));
      }
    } finally {
      await Promise.all([ours.close(), bare.close()]);
    }
  }
  return pages.map((page) => rows.get(page) as Compared);
}

async function compare({ name, kind, language, make }: Page, ours: Reader, bare: Reader): Promise<Compared> {
  const { document, picture, truth } = await make();
  const [theirs, mine] = [await timed(() => bare.read(picture)), await timed(() => ours.read(document))];
  return {
    page: name,
    kind,
    language,
    ours: wordAccuracy(mine.text, truth),
    bare: wordAccuracy(theirs.text, truth),
    oursMs: Math.round(mine.ms),
    bareMs: Math.round(theirs.ms),
    markdown: mine.text,
  };
}

async function timed(read: () => Promise<string>): Promise<{ text: string; ms: number }> {
  const startedAt = performance.now();
  return { text: await read(), ms: performance.now() - startedAt };
}

async function languageFile(language: LanguageCode): Promise<string> {
  if (language === 'eng') return englishFile();
  const weights = await languageWeightsForTests(language);
  if (!weights) throw new Error(`The weights of '${language}' could not be pulled.`);
  return weights.file;
}

function openEngine(file: string): Reader {
  const engine = createOcrEngine({
    languageFiles: [file],
    concurrency: 1,
    memoryMib: 1024,
    pdfMemoryMib: 512,
    pageMs: 120_000,
    documentMs: 600_000,
    pagesMax: 10,
    pixelsMax: 100_000_000,
    log: createLog('silent'),
  });
  return {
    async read(document) {
      const { pages } = (await engine.ocr?.read({ ...plain, document }, never)) ?? { pages: [] };
      return pages.map(({ markdown }) => markdown).join('\n');
    },
    close: engine.close,
  };
}

async function openBare(language: LanguageCode, file: string): Promise<Reader> {
  const langPath = await mkdtemp(join(tmpdir(), 'tramontane-ocr-pages-'));
  try {
    await copyFile(file, join(langPath, basename(file)));
    const worker = await createWorker(language, LSTM_ONLY, { langPath, cacheMethod: 'none' });
    await worker.setParameters({ tessedit_pageseg_mode: AUTOMATIC as never });
    return {
      async read(picture) {
        const { data } = await worker.recognize(Buffer.from(picture), {}, { text: true });
        return data.text;
      },
      close: () => worker.terminate(),
    };
  } finally {
    await rm(langPath, { recursive: true, force: true });
  }
}
