export { createOcrEngine } from './engine.ts';
export { englishFile } from './languages.ts';
export type { OcrEngine, OcrPage, OcrRequest, PageRange } from './ocr-engine.ts';
export { MEDIA_TYPES, sniffType } from './sniff-type.ts';
