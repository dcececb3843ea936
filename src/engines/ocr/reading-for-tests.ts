import pino from 'pino';
import type { Engine } from '../engine.ts';
import { createOcrEngine, type OcrEngineOptions } from './engine.ts';
import { englishFile } from './languages.ts';
import type { OcrPage, OcrRequest } from './ocr-engine.ts';

export const PATIENCE_MS = 60_000;
export const signal = new AbortController().signal;
export const plain = { includeImages: false, extractHeader: false, extractFooter: false, includeBlocks: true };

export const settings = {
  languageFiles: [englishFile()],
  concurrency: 1,
  memoryMib: 1024,
  pdfMemoryMib: 384,
  pageMs: PATIENCE_MS,
  documentMs: PATIENCE_MS,
  pagesMax: 200,
  pixelsMax: 30_000_000,
  log: pino({ level: 'silent' }),
};

export type Reading = ReturnType<typeof createOcrEngine>;
export const openReading = (changes: Partial<OcrEngineOptions> = {}): Reading =>
  createOcrEngine({ ...settings, ...changes });

export async function readWith(
  engine: Engine,
  document: Uint8Array,
  options: Partial<OcrRequest> = {},
): Promise<OcrPage[]> {
  const { pages } = (await engine.ocr?.read({ ...plain, document, ...options }, signal)) ?? { pages: [] };
  return pages;
}

export const textOf = (pages: OcrPage[]): string => pages.map(({ markdown }) => markdown).join('\n');
