export { createEspeakEngine } from './espeak/engine.ts';
export { ESPEAK_PACKAGE, findEspeakLibrary } from './espeak/library.ts';
export { createEspeakProcess, type EspeakProcess } from './espeak/process.ts';
export { createFallbackSpeech, withFallbackSpeech } from './fallback-speech.ts';
export { createKokoroEngine } from './kokoro/engine.ts';
