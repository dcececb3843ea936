export { speechErrors } from './errors.ts';
export { openSpeech } from './open-speech.ts';
export { speechRoutes, voiceRoutes } from './routes.ts';
export type { SpeechService } from './service/speech.ts';
export type { VoiceService } from './service/voices.ts';
