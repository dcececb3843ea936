import { ApiError, type SseEvent } from '../kit/http/index.ts';
import type { Run } from '../metering/index.ts';
import type { TranscriptPart } from '../models/index.ts';
import { addPart, type Granularity, startTranscript, type Transcript, toResponse } from './collect-transcript.ts';
import { transcriptionErrors } from './errors.ts';
import type { Guard } from './guard-transcript.ts';

/** A request that was admitted. The first parts are here, so the file is not needed any more. */
export type Transcribing = {
  model: string;
  granularity: Granularity;
  first: TranscriptPart[];
  rest: AsyncIterator<TranscriptPart[]>;
  run: Run;
  signal: AbortSignal;
  guard: Guard | undefined;
};

/** The events of a stream: the language, then what is spoken, and last the whole. */
export async function* relayTranscript(transcribing: Transcribing): AsyncGenerator<SseEvent> {
  const { model, granularity, first, rest, run, signal, guard } = transcribing;
  const transcript = startTranscript(granularity);
  try {
    yield* show(transcript, first);
    for (let next = await rest.next(); !next.done; next = await rest.next()) yield* show(transcript, next.value);
    run.settle(200);
    yield event('transcription.done', {
      ...toResponse(model, transcript),
      ...(guard && { guardrails: guard.results }),
    });
  } catch (error) {
    run.fail(error);
    if (signal.aborted) return;
    yield errorEvent(error);
    // The server logs unknown errors; the client has its event already.
    if (!(error instanceof ApiError)) throw error;
  } finally {
    await rest.return?.();
    // The client left; after a settled run this does nothing.
    run.fail(undefined);
  }
}

function* show(transcript: Transcript, parts: TranscriptPart[]): Generator<SseEvent> {
  for (const part of parts) {
    const isBeginning = transcript.text === '';
    const segment = addPart(transcript, part);
    if (segment) {
      const { text, start, end, speaker_id } = segment;
      yield event('transcription.segment', { text, start, end, speaker_id });
    } else if (part.kind === 'language' && part.language !== null)
      yield event('transcription.language', { audio_language: part.language });
    else if (part.kind === 'text')
      yield event('transcription.text.delta', { text: isBeginning ? part.text.trimStart() : part.text });
  }
}

function event(type: string, data: object): SseEvent {
  return { event: type, data: { type, ...data } };
}

function errorEvent(error: unknown): SseEvent {
  const {
    message,
    type,
    wireCode: code,
  } = error instanceof ApiError ? error : transcriptionErrors.transcription_failed();
  return { event: 'error', data: { object: 'error', message, type, param: null, code } };
}
