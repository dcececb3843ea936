import { readFileSync } from 'node:fs';
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
/** Of Linux, on every machine that this runs on. */
const TICKS_PER_SECOND = 100;
let listening: AbortController | undefined;
let spentBefore = 0;

answer({
  /** Resolves when the model is loaded and works on the audio. */
  async begin(): Promise<void> {
    listening = new AbortController();
    const parts = transcribe(listening.signal);
    await parts.next();
    await parts.next();
    spentBefore = spentSeconds();
    void listen(parts, listening.signal);
  },
  /** Seconds of CPU since it began: a window may take longer than chats are measured. */
  end(): number {
    listening?.abort(new Error('enough'));
    return spentSeconds() - spentBefore;
  },
});

function spentSeconds(): number {
  let ticks = 0;
  for (const pid of engine.pids()) {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    ticks += Number(fields[11]) + Number(fields[12]);
  }
  return ticks / TICKS_PER_SECOND;
}

async function* transcribe(signal: AbortSignal): AsyncGenerator<unknown> {
  const request = { file, hasSegments: true, hasWords: false, diarize: false };
  for (;;) yield* engine.transcription?.transcribe(request, signal) ?? [];
}

async function listen(parts: AsyncGenerator<unknown>, signal: AbortSignal): Promise<void> {
  try {
    for await (const _ of parts);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
