import { createHash } from 'node:crypto';
import type { Clock } from '../kit/base/clock.ts';
import { type Call, type Meter, startRun } from '../metering/index.ts';
import { tenantOf } from '../tenants/index.ts';
import { chooseTranscriber, type TranscribingModels } from './choose-transcriber.ts';
import { addPart, startTranscript } from './collect-transcript.ts';
import { type AudioPorts, openAudio } from './open-audio.ts';
import { noAudio, readBase64 } from './read-base64.ts';

const ADDRESS = /^https?:\/\//i;
/** A conversation sends its recordings again with every turn. */
const KEPT_MAX = 256;
const KEPT_MS = 60 * 60 * 1000;
const ESTIMATED_SECONDS = 60;

export type AudioListenerPorts = AudioPorts & { models: TranscribingModels; meter: Meter; now: Clock };

/** Hears recordings in messages, for models that do not. */
export function createAudioListener(ports: AudioListenerPorts) {
  const { models, meter, now, stage, bytesMax } = ports;
  const kept = new Map<string, { text: string; until: number }>();

  function find(key: string): string | undefined {
    const found = kept.get(key);
    return found && found.until > now() ? found.text : undefined;
  }

  function keep(key: string, text: string): void {
    kept.delete(key);
    kept.set(key, { text, until: now() + KEPT_MS });
    for (const oldest of kept.keys()) {
      if (kept.size <= KEPT_MAX) break;
      kept.delete(oldest);
    }
  }

  async function open(call: Call, audio: string) {
    if (ADDRESS.test(audio)) return openAudio(ports, call.scope, { file_url: audio }, undefined, call.signal);
    const bytes = readBase64(audio, bytesMax);
    const { file, discard } = await stage.write(
      (async function* () {
        yield bytes;
      })(),
      bytesMax,
    );
    return { file, filename: 'audio', discard };
  }

  async function recognize(call: Call, audio: string, isPart: boolean): Promise<string> {
    const { scope, signal } = call;
    const { model, transcription } = chooseTranscriber(models, scope.workspace_id, null);
    const cost = { kind: 'transcription' as const, model: model.id, estimatedTokens: ESTIMATED_SECONDS, isPart };
    const run = await startRun({ now, meter }, call, cost);
    try {
      const { file, filename, discard } = await open(call, audio);
      const transcript = startTranscript('none');
      try {
        const request = {
          file,
          filename,
          hasSegments: false,
          hasWords: false,
          diarize: false,
          tenant: tenantOf(scope),
        };
        for await (const parts of transcription.transcribe(request, signal, run))
          for (const part of parts) addPart(transcript, part);
      } finally {
        await discard();
      }
      run.settle(200);
      return transcript.text.trim();
    } catch (error) {
      throw run.fail(error);
    }
  }

  return {
    canTranscribe: (workspaceId: string) => models.served(workspaceId).some(({ engine }) => engine.transcription),
    async transcribe(call: Call, audio: string, { isPart }: { isPart: boolean }): Promise<string> {
      // Of one workspace: another one must not learn by the time it takes that a recording is known here.
      const key = createHash('sha256').update(call.scope.workspace_id).update('\0').update(audio).digest('base64');
      const known = find(key);
      if (known !== undefined) return known;
      const text = await recognize(call, audio, isPart);
      keep(key, text);
      return text;
    },
    async load(call: Call, address: string): Promise<string> {
      if (!ADDRESS.test(address)) throw noAudio();
      const { file, discard } = await openAudio(ports, call.scope, { file_url: address }, undefined, call.signal);
      try {
        return (await stage.read(file)).toString('base64');
      } finally {
        await discard();
      }
    },
  };
}
