import { speechErrors } from './errors.ts';
import { findMp3Frame } from './mp3-in-wav.ts';
import type { SampleType } from './schema/voices.ts';

/** Half a minute of the largest kind of WAV; cloning takes some seconds of it. */
export const AUDIO_BYTES_MAX = 10 * 1024 * 1024;

export type Audio = { bytes: Buffer; type: SampleType };

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

/** The audio that a field of the body carries as base64. Only its first bytes decide what it is. */
export function parseAudio(text: string, field: string): Audio {
  if (text === '' || text.length % 4 !== 0 || !BASE64.test(text)) throw invalid(field, 'this must be base64');
  const bytes = Buffer.from(text, 'base64');
  if (bytes.length > AUDIO_BYTES_MAX)
    throw invalid(field, `the audio may have ${AUDIO_BYTES_MAX / 1024 / 1024} MiB; a few seconds are enough`);
  const type = typeOf(bytes);
  if (!type) throw invalid(field, 'this is neither a WAV nor an MP3 file');
  return { bytes, type };
}

function typeOf(bytes: Buffer): SampleType | undefined {
  if (bytes.toString('latin1', 0, 4) === 'RIFF' && bytes.toString('latin1', 8, 12) === 'WAVE') return 'wav';
  return findMp3Frame(bytes) ? 'mp3' : undefined;
}

// The input is not echoed: it is long, and somebody's voice.
function invalid(field: string, msg: string): Error {
  return speechErrors.invalid_audio(['body', field], `Value error, ${msg}`);
}
