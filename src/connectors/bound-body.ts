import { type JsonLimits, scanJson } from '../kit/http/index.ts';
import { OutboundTooLarge } from '../kit/outbound/index.ts';

/** The library parses whatever comes, so it is counted first: a bracket costs fifty times its byte. */
const JSON_LIMITS: JsonLimits = { depthMax: 128, keysMax: 256 * 1024, objectKeysMax: 4096, valuesMax: 256 * 1024 };
/** Each message costs more than its bytes. A tool may report its progress four thousand times. */
const LINES_MAX = 8 * 1024;
/** What a piece of a line costs beside its bytes, so that crumbs are bounded too. */
const PIECE_BYTES = 64;
const LINE_BYTES_MAX = 16 * 1024 * 1024;
const LF = 10;
const CR = 13;

/** A body in one piece. */
export async function* boundJson(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  const whole = Buffer.concat(chunks);
  checkJson(whole);
  yield whole;
}

/** A stream of events, line by line. */
export async function* boundEvents(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let held: Uint8Array[] = [];
  let heldBytes = 0;
  let lines = 0;
  for await (const chunk of body) {
    const end = endOfLines(chunk);
    if (end > 0) {
      const whole = Buffer.concat([...held, chunk.subarray(0, end)]);
      for (let start = 0; start < whole.length; lines++) {
        if (lines > LINES_MAX) throw new OutboundTooLarge('The stream has too many events.');
        const next = nextLine(whole, start);
        checkJson(whole.subarray(start, next));
        start = next;
      }
      yield whole;
      held = [];
      heldBytes = 0;
    }
    if (end === chunk.length) continue;
    held.push(chunk.subarray(end));
    heldBytes += chunk.length - end + PIECE_BYTES;
    if (heldBytes > LINE_BYTES_MAX) throw new OutboundTooLarge('An event is too long.');
  }
  if (held.length > 0) yield Buffer.concat(held);
}

function checkJson(bytes: Uint8Array): void {
  if ('limit' in scanJson(bytes, JSON_LIMITS)) throw new OutboundTooLarge('A message has too many parts.');
}

/** Behind the last line end. */
function endOfLines(bytes: Uint8Array): number {
  return Math.max(bytes.lastIndexOf(LF), bytes.lastIndexOf(CR)) + 1;
}

function nextLine(bytes: Uint8Array, start: number): number {
  let at = start;
  while (at < bytes.length && bytes[at] !== LF && bytes[at] !== CR) at++;
  return at + 1;
}
