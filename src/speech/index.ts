export { speechErrors } from './errors.ts';
export { speechRoutes, voiceRoutes } from './routes.ts';
export { openSpeech } from './service/index.ts';
export type { LiveSpeechService } from './service/live-speech.ts';
export type { SpeechService } from './service/speech.ts';
export type { VoiceService } from './service/voices.ts';
