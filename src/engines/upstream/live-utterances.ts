import type { Tally } from '../tally.ts';
import {
  type ListenOptions,
  type LivePart,
  type LiveTranscript,
  SAMPLE_RATE,
  type TranscriptPart,
} from '../transcribe/transcription-engine.ts';
import { classifyAnswer } from './classify-failure.ts';
import { createPauseFinder, type Utterance } from './find-pauses.ts';
import { createLiveBill } from './live-bill.ts';
import { PartQueue } from './part-queue.ts';
import { toWav } from './pcm.ts';
import type { UpstreamAudio } from './transcription-call.ts';

/** Utterances that may wait for the server before whoever feeds is made to wait. */
const WAITING_MAX = 2;

export type TranscribeUtterance = (request: UpstreamAudio, tally: Tally) => AsyncIterable<TranscriptPart[]>;

/** A live session at a server that only takes files: each utterance is one, and is told when it is complete. */
export function listenByUtterances(
  transcribe: TranscribeUtterance,
  { language, contextBias }: ListenOptions,
  signal: AbortSignal,
  tally: Tally | undefined,
): LiveTranscript {
  const pauses = createPauseFinder();
  const bill = createLiveBill(tally);
  // Seconds are billed as they are fed, whatever the server says of each file.
  const attempts: Tally = { add: () => undefined, admit: () => tally?.admit() };
  const left = new AbortController();
  const queue = new PartQueue(
    () => undefined,
    () => left.abort(),
  );
  signal.addEventListener('abort', () => queue.fail(signal.reason), { once: true });
  let waiting = 0;
  let last: Promise<void> = Promise.resolve();
  let isTold = false;

  async function hear({ samples, start, end }: Utterance): Promise<void> {
    if (queue.isOver || left.signal.aborted) return;
    const request: UpstreamAudio = {
      file: '',
      filename: 'audio.wav',
      content: toWav(samples, SAMPLE_RATE),
      hasSegments: false,
      hasWords: false,
      diarize: false,
      ...(language !== undefined && { language }),
      ...(contextBias && { contextBias }),
    };
    let text = '';
    const parts: LivePart[] = [];
    for await (const heard of transcribe(request, attempts))
      for (const part of heard) {
        if (part.kind === 'text') text += part.text;
        if (part.kind === 'end') bill.wrote(part.outputTokens ?? 0);
        if (part.kind !== 'language' || part.language === null || isTold) continue;
        isTold = true;
        parts.push(part);
      }
    text = text.trim();
    if (text !== '') parts.push({ kind: 'text', text: ` ${text}` }, { kind: 'segment', text, start, end });
    queue.push(parts);
  }

  function add(utterance: Utterance): void {
    waiting += 1;
    last = last
      .then(() => hear(utterance))
      .catch((error: unknown) => queue.fail(signal.aborted ? signal.reason : classifyAnswer(error)))
      .finally(() => {
        waiting -= 1;
      });
  }

  return {
    async feed(samples) {
      queue.check();
      bill.heard(samples.length);
      for (const utterance of pauses.take(samples)) add(utterance);
      if (waiting > WAITING_MAX) await last;
    },
    async flush() {
      const utterance = pauses.flush();
      if (utterance) add(utterance);
    },
    async end() {
      await this.flush();
      await last;
      queue.push([{ kind: 'end', seconds: bill.seconds() }]);
      queue.end();
    },
    parts: queue,
  };
}
