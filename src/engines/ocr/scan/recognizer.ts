import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { createWorker, type Worker } from 'tesseract.js';
import type { Word } from '../layout/elements.ts';
import type { Bitmap } from './bitmap.ts';

/** Only the network of long short-term memory; the older engine is neither loaded nor shipped. */
const LSTM_ONLY = 1;
/** Finds columns and blocks by itself. */
const AUTOMATIC = '3';
const MODEL_ENDING = '.traineddata.gz';

export type Recognizer = {
  /** Lines of words. Without a resolution it is estimated from the letters. */
  recognize(picture: Bitmap, dpi?: number): Promise<Word[][]>;
  close(): Promise<void>;
};

/** `files` are the trained models of the languages, each named after its language, packed as they were published. */
export async function createRecognizer(files: readonly string[]): Promise<Recognizer> {
  // The package looks for all of them in one place.
  const langPath = await mkdtemp(join(tmpdir(), 'tramontane-ocr-'));
  try {
    await Promise.all(files.map((file) => copyFile(file, join(langPath, basename(file)))));
    return await openRecognizer(
      langPath,
      files.map((file) => basename(file, MODEL_ENDING)),
    );
  } finally {
    await rm(langPath, { recursive: true, force: true });
  }
}

async function openRecognizer(langPath: string, languages: string[]): Promise<Recognizer> {
  let fail: (error: unknown) => void = () => undefined;
  const worker: Worker = await createWorker(languages, LSTM_ONLY, {
    langPath,
    cacheMethod: 'none',
    // Without it the package throws where it cannot be caught.
    errorHandler: (error: unknown) => fail(error),
  });
  await worker.setParameters({ tessedit_pageseg_mode: AUTOMATIC as never });
  return {
    recognize: async (picture, dpi = 0) => {
      const failure = new Promise<never>((_, reject) => {
        fail = reject;
      });
      const asked = worker.recognize(toPortableMap(picture), { user_defined_dpi: String(dpi) } as object, {
        text: false,
        blocks: true,
      });
      const { data } = await Promise.race([asked, failure]);
      return (data.blocks ?? []).flatMap(({ paragraphs }) => paragraphs.flatMap(({ lines }) => lines.map(wordsOf)));
    },
    close: async () => void (await worker.terminate()),
  };
}

type RecognizedLine = {
  bbox: Word['box'];
  rowAttributes: { rowHeight?: number; row_height?: number };
  words: { text: string; bbox: Word['box']; confidence: number }[];
};

/** All words of a line are as high as the line: their own boxes depend on which letters they have. */
function wordsOf({ bbox, rowAttributes, words }: RecognizedLine): Word[] {
  const size = rowAttributes.rowHeight ?? rowAttributes.row_height ?? bbox.y1 - bbox.y0;
  return words
    .filter(({ text }) => text.trim() !== '')
    .map(({ text, bbox: own, confidence }) => ({
      text: text.normalize('NFC'),
      box: { x0: own.x0, x1: own.x1, y0: bbox.y0, y1: bbox.y1 },
      size,
      isBold: false,
      isMono: false,
      isMath: false,
      isTurned: false,
      confidence: Math.min(1, Math.max(0, confidence / 100)),
    }));
}

/** The simplest of all formats: nothing is packed and unpacked again. */
function toPortableMap({ data, width, height, channels }: Bitmap): Buffer {
  return Buffer.concat([Buffer.from(`${channels === 1 ? 'P5' : 'P6'}\n${width} ${height}\n255\n`), data]);
}
