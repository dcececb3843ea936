export { createWhisperEngine, type LightFiles } from './engine.ts';
export {
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
} from './transcription-engine.ts';
