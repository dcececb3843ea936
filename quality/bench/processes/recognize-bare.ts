import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { createWorker } from 'tesseract.js';
import { englishFile } from '../../../src/engines/ocr/index.ts';
import { answer } from './answer.ts';

// The baseline: the recognizer alone on an upright, clean page; its result is discarded.
const LSTM_ONLY = 1;
const worker = await createWorker('eng', LSTM_ONLY, { langPath: dirname(englishFile()), cacheMethod: 'none' });
await worker.setParameters({ tessedit_pageseg_mode: '3' as never });

answer({
  /** Milliseconds for one page. */
  async recognize(file: string): Promise<number> {
    const image = readFileSync(file);
    const startedAt = performance.now();
    await worker.recognize(image, {}, { text: false, blocks: true });
    return performance.now() - startedAt;
  },
});
