import { transcriptionErrors } from './errors.ts';

const DATA_ADDRESS = /^data:[^,]*;base64,/i;
const BASE64 = /^[A-Za-z0-9+/_-]+={0,2}$/;

/** The bytes of base64, also in a data address. */
export function readBase64(text: string, bytesMax: number): Uint8Array {
  const base64 = text.replace(DATA_ADDRESS, '').trim();
  const bytes = BASE64.test(base64) ? Buffer.from(base64, 'base64') : Buffer.alloc(0);
  if (bytes.length > bytesMax) throw transcriptionErrors.audio_file_too_large(Math.floor(bytesMax / 1024 / 1024));
  if (bytes.length === 0) throw noAudio();
  return bytes;
}

export function noAudio(): Error {
  return transcriptionErrors.audio_base64_invalid(
    'The audio is neither base64, nor a data address in base64, nor an http address.',
  );
}
