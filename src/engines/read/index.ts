export { engineErrors } from '../errors.ts';
export { detectFormat, extensionOf } from './detect-format.ts';
export { createReadEngine } from './engine.ts';
export type { Block, DocumentChunk, DocumentEntry, ReadEngine, ReadPage, ReadResult, TextBox } from './read-engine.ts';
