export { createAudioListener } from './audio-listener.ts';
export { type ClientSessionService, createClientSessionService } from './client-sessions/service.ts';
export { transcriptionErrors } from './errors.ts';
export { createLiveTranscriptionService, type LiveTranscriptionService } from './live/live-service.ts';
export { createRecordingReader } from './recording-reader.ts';
export { liveTranscriptionRoutes, transcriptionRoutes } from './routes.ts';
export { createTranscriptionService, type TranscriptionService } from './service.ts';
export { createAudioStage } from './stage-audio.ts';
