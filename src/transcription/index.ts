export { createAudioListener } from './audio-listener.ts';
export { type ClientSessionService, createClientSessionService } from './client-sessions/service.ts';
export { transcriptionErrors } from './errors.ts';
export { createLiveTranscriptionService, type LiveTranscriptionService } from './live/live-service.ts';
export { renderTranscription } from './render-transcription.ts';
export { liveTranscriptionRoutes, transcriptionRoutes } from './routes.ts';
export type { AudioTranscriptionRequest, TranscriptionResponse } from './schema.ts';
export { createTranscriptionService, type TranscriptionService } from './service.ts';
export { createAudioStage, type StagedAudio } from './stage-audio.ts';
