export { createEmbedEngine } from './embed/index.ts';
export type {
  ChatRequest,
  Completion,
  Delta,
  Embeddings,
  Engine,
  EngineMessage,
  EnginePart,
  EngineState,
  EngineTool,
  EngineToolCall,
  EngineUsage,
  FimRequest,
  FinishReason,
  JsonSchema,
  Judgement,
  Moderation,
  PresetVoice,
  SpeakRequest,
  SpeechEngine,
  Tally,
} from './engine.ts';
export { engineErrors } from './errors.ts';
export { createLlamaEngine, tryWeights } from './llama/index.ts';
export {
  createOcrEngine,
  englishFile,
  type OcrEngine,
  type OcrPage,
  type OcrRequest,
  type PageRange,
} from './ocr/index.ts';
export { explainMissingPackages, installCommand, missingPackages } from './optional-packages.ts';
export { createPulledEngine, type PulledEngine } from './pulled-engine.ts';
export {
  createBubblewrapSandbox,
  createWasmSandbox,
  type Sandbox,
} from './sandbox/index.ts';
export {
  createEspeakEngine,
  createEspeakProcess,
  createFallbackSpeech,
  createKokoroEngine,
  ESPEAK_PACKAGE,
  type EspeakProcess,
  findEspeakLibrary,
  withFallbackSpeech,
} from './speech/index.ts';
export { createUpstreamConnections, type UpstreamConnections } from './upstream/connections.ts';
export type { UpstreamTarget } from './upstream/target.ts';
export { createUpstreamEngine, type UpstreamEngineOptions } from './upstream/upstream-engine.ts';
export {
  type CatalogueEntry,
  catalogue,
  DEFAULT_CHAT_ID,
  DEFAULT_EMBEDDINGS_ID,
  DEFAULT_SPEECH_ID,
  find as findWeights,
  findCatalogueEntry,
  type InstalledModel,
  languageId,
  list as listWeights,
  NPM_CHAT_ID,
  type Progress as PullProgress,
  PullFailed,
  pull as pullWeights,
  remove as removeWeights,
  usableSources,
} from './weights/index.ts';
