import type { Clock } from '../kit/base/clock.ts';
import { type Call, type Meter, startRun } from '../metering/index.ts';
import { tenantOf } from '../tenants/index.ts';
import { chooseTranscriber, type TranscribingModels } from './choose-transcriber.ts';
import { addPart, startTranscript } from './collect-transcript.ts';
import type { AudioStage } from './stage-audio.ts';

const ESTIMATED_SECONDS = 60;

export type RecordingReader = (
  call: Call,
  audio: AsyncIterable<Uint8Array>,
  filename: string,
) => Promise<{ text: string; language: string | null }>;

/** What is said in a recording, billed as a transcription. For rooms that store documents. */
export function createRecordingReader(ports: {
  models: TranscribingModels;
  stage: AudioStage;
  bytesMax: number;
  meter: Meter;
  now: Clock;
}): RecordingReader {
  const { models, stage, bytesMax, meter, now } = ports;
  return async (call, audio, filename) => {
    const { scope, signal } = call;
    const { model, transcription } = chooseTranscriber(models, scope.workspace_id, null);
    const cost = { kind: 'transcription' as const, model: model.id, estimatedTokens: ESTIMATED_SECONDS };
    const run = await startRun({ now, meter }, call, cost);
    try {
      const { file, discard } = await stage.write(audio, bytesMax);
      const transcript = startTranscript('none');
      try {
        const plain = { hasSegments: false, hasWords: false, diarize: false };
        const request = { file, filename, ...plain, tenant: tenantOf(scope) };
        for await (const parts of transcription.transcribe(request, signal, run))
          for (const part of parts) addPart(transcript, part);
      } finally {
        await discard();
      }
      run.settle(200);
      return { text: transcript.text.trim(), language: transcript.language };
    } catch (error) {
      throw run.fail(error);
    }
  };
}
