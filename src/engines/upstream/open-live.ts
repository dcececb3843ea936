import type { ApiError } from '../../kit/http/index.ts';
import { engineErrors } from '../errors.ts';
import type { Tally } from '../tally.ts';
import type { ListenOptions, LiveTranscript } from '../transcribe/transcription-engine.ts';
import { circuitOpen } from './classify-failure.ts';
import { openLiveSocket } from './live-socket.ts';
import { listenByUtterances, type TranscribeUtterance } from './live-utterances.ts';
import type { KnownTarget } from './target.ts';

/**
 * A live session at the first server that takes one. Where none has Mistral's WebSocket, the audio is cut at pauses and sent
 * as files.
 */
export async function openLive(
  targets: KnownTarget[],
  options: ListenOptions,
  signal: AbortSignal,
  { tally, transcribe }: { tally: Tally | undefined; transcribe: TranscribeUtterance },
): Promise<LiveTranscript> {
  let failure: ApiError | undefined;
  for (const target of targets) {
    if (!target.knowsLive) continue;
    const { breaker } = target;
    if (!breaker.admit()) {
      failure ??= circuitOpen(breaker.waitMs());
      continue;
    }
    const opening = await openLiveSocket(target, options, signal, tally).catch((error: unknown) => {
      breaker.released();
      throw error;
    });
    if (opening === 'unknown') {
      breaker.succeeded();
      target.knowsLive = false;
      continue;
    }
    if ('live' in opening) {
      breaker.succeeded();
      return opening.live;
    }
    failure = opening.failure.error;
    if (opening.failure.isServerFault) breaker.failed();
    else breaker.succeeded();
    if (opening.failure.isRequestFault) throw failure;
  }
  if (targets.some(({ knowsLive }) => !knowsLive)) {
    if (options.diarize || options.turnDetection)
      throw engineErrors.live_option_unavailable(options.diarize ? 'diarize' : 'turn_detection');
    return listenByUtterances(transcribe, options, signal, tally);
  }
  throw failure ?? circuitOpen(0);
}
