export { createEspeakEngine } from './espeak/engine.ts';
export { ESPEAK_PACKAGE, findEspeakLibrary } from './espeak/library.ts';
export { createEspeakProcess, type EspeakProcess } from './espeak/process.ts';
export { createKokoroEngine } from './kokoro/engine.ts';
export { createStandIn, withStandIn } from './stand-in.ts';
