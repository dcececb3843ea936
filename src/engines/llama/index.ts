export { createLlamaEngine, type LlamaEngine, type LlamaOptions } from './engine.ts';
export { findDevice } from './find-device.ts';
export { type FoundDevice, GPU_TITLES, type ModelFacts } from './protocol.ts';
export { tryWeights } from './try-weights.ts';
