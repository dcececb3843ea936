import type { Run } from '../metering/index.ts';
import type { SpeakRequest, SpeechEngine } from '../models/index.ts';
import { textTokens } from './usage.ts';

/** Starts the engine with the first piece, so that its refusals are settled like all other failures. Adds the text. */
export async function* speakMetered(
  speech: SpeechEngine,
  request: SpeakRequest,
  signal: AbortSignal,
  run: Run,
): AsyncGenerator<Float32Array, void> {
  if (speech.talliesText) return yield* speech.speak(request, signal, run);
  let isTaken = false;
  try {
    for await (const piece of speech.speak(request, signal)) {
      isTaken = true;
      yield piece;
    }
  } finally {
    // An engine that fails before the first sound has refused the text, unless the client left.
    if (isTaken || signal.aborted) run.add(textTokens(request.text));
  }
}
