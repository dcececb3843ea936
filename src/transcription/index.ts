export { createAudioListener } from './audio-listener.ts';
export { transcriptionErrors } from './errors.ts';
export { transcriptionRoutes } from './routes.ts';
export { createTranscriptionService, type TranscriptionService } from './service.ts';
export { createAudioStage } from './stage-audio.ts';
