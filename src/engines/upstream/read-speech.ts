import { engineErrors } from '../errors.ts';
import { chunksOf } from './body-chunks.ts';
import { classifyBreakOff } from './classify-failure.ts';
import type { Exchange } from './exchange.ts';
import { speechSecondsMax } from './limits.ts';
import { createSoundReader, PCM_RATE } from './read-sound.ts';
import type { KnownTarget } from './target.ts';

/** Pieces smaller than this wait for what comes next: a tenth of a second. */
const PIECE_SAMPLES = 2400;

/** The sound of a response as it arrives, as long as the text may take. A slow reader makes the server wait. */
export async function* readSpeech(
  response: Exchange,
  target: KnownTarget,
  text: string,
  signal: AbortSignal,
): AsyncGenerator<Float32Array, void> {
  if (/json|text\/|html/i.test(String(response.headers['content-type'] ?? ''))) {
    response.abort(new Error('not sound'));
    throw engineErrors.upstream_invalid_response();
  }
  const reader = createSoundReader();
  const samplesMax = speechSecondsMax(text) * PCM_RATE;
  const startedAt = performance.now();
  let held: Float32Array[] = [];
  let count = 0;
  let total = 0;
  try {
    for await (const chunk of chunksOf(response)) {
      const samples = reader.read(chunk);
      if (samples.length === 0) {
        if (total === 0 && performance.now() - startedAt > response.patienceMs) throw engineErrors.upstream_timeout();
        continue;
      }
      total += samples.length;
      if (total > samplesMax) throw engineErrors.upstream_answer_too_large();
      held.push(samples);
      count += samples.length;
      if (count < PIECE_SAMPLES) continue;
      yield join(held, count);
      [held, count] = [[], 0];
    }
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    const failure = classifyBreakOff(error);
    if (failure !== error) target.breaker.failed();
    throw failure;
  } finally {
    response.abort(new Error('the reader left'));
  }
  const last = reader.end();
  held.push(last);
  count += last.length;
  // Where there is something to say, silence is no answer.
  if (total + last.length === 0 && /[\p{L}\p{N}]/u.test(text)) throw engineErrors.upstream_invalid_response();
  if (count > 0) yield join(held, count);
}

function join(pieces: Float32Array[], count: number): Float32Array {
  const [only] = pieces;
  if (only && pieces.length === 1) return only;
  const joined = new Float32Array(count);
  let at = 0;
  for (const piece of pieces) {
    joined.set(piece, at);
    at += piece.length;
  }
  return joined;
}
