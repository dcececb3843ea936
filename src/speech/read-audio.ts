import { ValidationFailed } from '../kit/http/index.ts';
import { findMp3Frame } from './mp3-in-wav.ts';

/** Half a minute of the largest kind of WAV; cloning takes some seconds of it. */
export const AUDIO_BYTES_MAX = 10 * 1024 * 1024;

export type SampleType = 'wav' | 'mp3';
export type Audio = { bytes: Buffer; type: SampleType };

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

/** The audio that a field of the body carries as base64; what it is, its first bytes say and nobody else. */
export function readAudio(text: string, field: string): Audio {
  if (text === '' || text.length % 4 !== 0 || !BASE64.test(text)) throw refused(field, 'this must be base64');
  const bytes = Buffer.from(text, 'base64');
  if (bytes.length > AUDIO_BYTES_MAX)
    throw refused(field, `the audio may have ${AUDIO_BYTES_MAX / 1024 / 1024} MiB; a few seconds are enough`);
  const type = typeOf(bytes);
  if (!type) throw refused(field, 'this is neither a WAV nor an MP3 file');
  return { bytes, type };
}

function typeOf(bytes: Buffer): SampleType | undefined {
  if (bytes.toString('latin1', 0, 4) === 'RIFF' && bytes.toString('latin1', 8, 12) === 'WAVE') return 'wav';
  return findMp3Frame(bytes) ? 'mp3' : undefined;
}

// What was sent is not shown again: it is long, and somebody's voice.
function refused(field: string, msg: string): ValidationFailed {
  return new ValidationFailed([{ type: 'value_error', loc: ['body', field], msg: `Value error, ${msg}` }]);
}
