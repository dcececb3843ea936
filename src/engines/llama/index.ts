export { createLlamaEngine, type LlamaEngine, type LlamaOptions } from './engine.ts';
export type { ModelFacts } from './protocol.ts';
export { tryWeights } from './try-weights.ts';
