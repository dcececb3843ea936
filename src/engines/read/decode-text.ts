import { isUtf8 } from 'node:buffer';
import { Refusal } from '../process/protocol.ts';

/** Enough to see that a file is no text. */
const SAMPLE_BYTES = 64 * 1024;

/** The text of a file: by its mark, as UTF-8, else as Windows-1252, which has a letter for nearly every byte. */
export function decodeText(bytes: Uint8Array, charset?: string): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder('utf-16be').decode(bytes);
  if (bytes.subarray(0, SAMPLE_BYTES).includes(0))
    throw new Refusal('unsupported_document', 'The file is of a type that is not read here.');
  if (isUtf8(bytes)) return new TextDecoder().decode(bytes);
  return decoderOf(charset).decode(bytes);
}

function decoderOf(charset = 'windows-1252') {
  try {
    return new TextDecoder(charset);
  } catch {
    return new TextDecoder('windows-1252');
  }
}
