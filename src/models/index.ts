export type {
  ChatRequest,
  Completion,
  CompletionChoice,
  Delta,
  Engine,
  EngineMessage,
  EnginePart,
  EngineTool,
  EngineToolCall,
  EngineUsage,
  FimRequest,
  FinishReason,
  JsonSchema,
  Judgement,
  ListenOptions,
  LiveTranscript,
  Logprobs,
  Moderation,
  OcrEngine,
  OcrPage,
  OcrRequest,
  PageRange,
  PresetVoice,
  SpeakRequest,
  SpeechEngine,
  Tally,
  TranscribeRequest,
  TranscriptionEngine,
  TranscriptPart,
} from '../engines/index.ts';
export { adviseConfiguration } from './configuration-advice.ts';
export { deprecationHeaders } from './deprecation-headers.ts';
export { modelErrors } from './errors.ts';
export type { Model } from './model.ts';
export { isStandIn } from './name-models.ts';
export { canEmbed, type Need } from './needs.ts';
export { registerFineTuned } from './register-fine-tuned.ts';
export { modelRoutes } from './routes.ts';
export { createModelService, type ModelService } from './service.ts';
export type { FineTunedRow } from './store.ts';
export { describeProgress, listCatalogue, listInstalled, measureProgress } from './weights.ts';
