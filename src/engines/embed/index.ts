export { createEmbedEngine, type EmbedEngine, type EmbedOptions } from './engine.ts';
