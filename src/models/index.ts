export type {
  ChatRequest,
  Classification,
  ClassifierDefinition,
  ClassifierTarget,
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
  LivePart,
  LiveTranscript,
  Logprobs,
  LossFunction,
  Moderation,
  OcrEngine,
  OcrPage,
  OcrRequest,
  PageRange,
  PresetVoice,
  SpeakRequest,
  SpeechEngine,
  Tally,
  TargetScores,
  TranscribeRequest,
  TranscriptionEngine,
  TranscriptPart,
  TurnDetection,
  TurnPart,
} from '../engines/index.ts';
export { packWeights } from '../engines/index.ts';
export { adviseConfiguration } from './configuration-advice.ts';
export { deprecationHeaders } from './deprecation-headers.ts';
export { modelErrors } from './errors.ts';
export type { Model } from './model.ts';
export { isStandIn } from './name-models.ts';
export { canEmbed, type Need } from './needs.ts';
export { registerClassifier, removeClassifier } from './register-classifier.ts';
export { registerFineTuned } from './register-fine-tuned.ts';
export { modelRoutes } from './routes.ts';
export { createModelService, type ModelService } from './service.ts';
export { type ListedClassifier, listClassifiers } from './store/classifiers.ts';
export type { FineTunedRow } from './store/fine-tuned.ts';
export { describeProgress, listCatalogue, listInstalled, measureProgress } from './weights.ts';
