import { transcriptionErrors } from './errors.ts';
import { readBase64 } from './read-base64.ts';
import type { AudioTranscriptionRequest } from './schema.ts';
import type { AudioStage } from './stage-audio.ts';

const REFERENCE_BYTES_MAX = 8 * 1024 * 1024;

export type KeptReferences = { files: Record<string, string>; discard(): Promise<void> };

/** Recordings of known speakers as files; undefined where there are none. */
export async function keepReferences(
  stage: AudioStage,
  { speaker_references, diarize }: Pick<AudioTranscriptionRequest, 'speaker_references' | 'diarize'>,
): Promise<KeptReferences | undefined> {
  const given = Object.entries(speaker_references ?? {});
  if (given.length === 0) return undefined;
  if (!diarize) throw invalid('diarize must be true where speakers are named');
  const decoded = given.map(([name, text]) => [name, decode(name, text)] as const);
  const files: Record<string, string> = {};
  const discards: (() => Promise<void>)[] = [];
  const discard = async () => {
    for (const remove of discards) await remove();
  };
  try {
    for (const [name, bytes] of decoded) {
      const staged = await stage.write(once(bytes), REFERENCE_BYTES_MAX);
      discards.push(staged.discard);
      files[name] = staged.file;
    }
    return { files, discard };
  } catch (error) {
    await discard();
    throw error;
  }
}

function decode(name: string, text: string): Uint8Array {
  try {
    return readBase64(text, REFERENCE_BYTES_MAX);
  } catch {
    throw invalid(`the recording of '${name}' is not base64 of at most ${REFERENCE_BYTES_MAX} bytes`);
  }
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

function invalid(what: string): Error {
  return transcriptionErrors.speaker_references_invalid(['body', 'speaker_references'], `Value error, ${what}`, null, {
    error: {},
  });
}
