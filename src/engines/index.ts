export {
  type ClassifierDefinition,
  type ClassifierTarget,
  createOnnxClassifier,
  createTrainedClassifier,
  findClassifierFiles,
  type LossFunction,
  packWeights,
} from './classify/index.ts';
export { createEmbedEngine } from './embed/index.ts';
export type {
  ChatRequest,
  Classification,
  Completion,
  CompletionChoice,
  Delta,
  Embeddings,
  Engine,
  EngineDevice,
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
  LeftDevice,
  Logprobs,
  Moderation,
  PresetVoice,
  SpeakRequest,
  SpeechEngine,
  Tally,
  TargetScores,
} from './engine.ts';
export { engineErrors } from './errors.ts';
export {
  type DetectedGpus,
  detectGpus,
  type FoundGpu,
  type GpuInstallOptions,
  type GpuKind,
  gpuDirOf,
  installGpu,
  listInstalledGpus,
  RUNTIME_VERSION,
  removeGpu,
} from './gpu/index.ts';
export { createLlamaEngine, type FoundDevice, findDevice, GPU_TITLES, tryWeights } from './llama/index.ts';
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
  type Block,
  createReadEngine,
  type DocumentChunk,
  type DocumentEntry,
  detectFormat,
  extensionOf,
  type ReadEngine,
  type ReadResult,
  type TextBox,
} from './read/index.ts';
export {
  createBubblewrapSandbox,
  createWasmSandbox,
  type Sandbox,
  startProgram,
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
export {
  createWhisperEngine,
  type LightFiles,
  type ListenOptions,
  type LivePart,
  type LiveTranscript,
  SAMPLE_RATE,
  type TranscribeRequest,
  type TranscriptionEngine,
  type TranscriptPart,
  type TranscriptSegment,
  type TurnDetection,
  type TurnPart,
} from './transcribe/index.ts';
export { createUpstreamConnections, type UpstreamConnections } from './upstream/connections.ts';
export type { UpstreamTarget } from './upstream/target.ts';
export { createUpstreamEngine, type UpstreamEngineOptions } from './upstream/upstream-engine.ts';
export {
  type CatalogueEntry,
  catalogue,
  DEFAULT_CHAT_ID,
  DEFAULT_EMBEDDINGS_ID,
  DEFAULT_SPEECH_ID,
  DEFAULT_TRANSCRIPTION_ID,
  DIARIZATION_ID,
  find as findWeights,
  findCatalogueEntry,
  type InstalledModel,
  LIGHT_ENGLISH_ID,
  languageId,
  list as listWeights,
  MULTILINGUAL_EMBEDDINGS_ID,
  NPM_CHAT_ID,
  type Progress as PullProgress,
  PullFailed,
  pull as pullWeights,
  remove as removeWeights,
  usableSources,
} from './weights/index.ts';
