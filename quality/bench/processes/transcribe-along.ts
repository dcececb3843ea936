import { tmpdir } from 'node:os';
import { createWhisperEngine } from '../../../src/engines/transcribe/index.ts';
import { createLog } from '../../../src/kit/base/log.ts';
import { answer } from './answer.ts';

// One endless transcription beside other measurements, on the cores that this process was given.
const [encoderFile = '', decoderFile = '', tokenizerFile = '', vadFile = '', file = ''] = process.argv.slice(2);
const engine = createWhisperEngine({
  ...{ encoderFile, decoderFile, tokenizerFile, vadFile },
  ...{ threads: 1, concurrency: 1, hoursMax: 4, decoderMemoryMib: 512 },
  dir: tmpdir(),
  log: createLog('silent'),
});
let listening: AbortController | undefined;
let turns = 0;

answer({
  /** Resolves when the model is loaded and works on the audio. */
  async begin(): Promise<void> {
    listening = new AbortController();
    const parts = transcribe(listening.signal);
    await parts.next();
    await parts.next();
    turns = 0;
    void listen(parts, listening.signal);
  },
  /** Windows since it began. */
  end(): number {
    listening?.abort(new Error('enough'));
    return turns;
  },
});

async function* transcribe(signal: AbortSignal): AsyncGenerator<unknown> {
  const request = { file, hasSegments: true, hasWords: false, diarize: false };
  for (;;) yield* engine.transcription?.transcribe(request, signal) ?? [];
}

async function listen(parts: AsyncGenerator<unknown>, signal: AbortSignal): Promise<void> {
  try {
    for await (const _ of parts) turns++;
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
