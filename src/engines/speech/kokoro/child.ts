import { serveQuestions } from '../process/serve-questions.ts';
import { loadKokoro } from './model.ts';
import type { KokoroQuestion, KokoroSettings } from './questions.ts';

// The process that runs the model, so that the server never waits for arithmetic and survives a crash of it.

const settings = JSON.parse(process.argv[2] ?? '{}') as KokoroSettings;

serveQuestions<KokoroQuestion, Float32Array>(async () => {
  const say = await loadKokoro(settings);
  return async (question, give) => give(await say(question));
});
