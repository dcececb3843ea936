import { gunzipSync } from 'node:zlib';
import type { AllowedCall } from './allowed-calls.ts';
import { CODES, Refusal } from './grpc-status.ts';
import { Malformed, valuesAt } from './read-fields.ts';

/** What Temporal itself takes as one message. */
export const MESSAGE_BYTES_MAX = 4 * 1024 * 1024;
/** A flag for compression and four bytes of length. */
export const PREFIX_BYTES = 5;

/** Throws a Refusal unless the one message of the body stays within the namespace. */
export function checkMessage(body: Buffer, encoding: string | undefined, call: AllowedCall, namespace: string): void {
  const message = readMessage(body, encoding);
  if (!call.namespace) return;
  try {
    const named = valuesAt(message, call.namespace);
    if (named.length === 0) throw notOwn();
    const own = Buffer.from(namespace);
    if (named.some((value) => !own.equals(value))) throw notOwn();
    for (const path of call.inner ?? [])
      if (valuesAt(message, path).some((value) => value.length > 0 && !own.equals(value))) throw notOwn();
    for (const path of call.refused ?? [])
      if (valuesAt(message, path).length > 0)
        throw new Refusal(CODES.permissionDenied, 'This part of the request reaches beyond the namespace.');
  } catch (error) {
    if (error instanceof Malformed) throw new Refusal(CODES.invalidArgument, 'The message cannot be read.');
    throw error;
  }
}

/** The same words whether the namespace exists or not. */
function notOwn(): Refusal {
  return new Refusal(
    CODES.permissionDenied,
    'The key does not open this namespace. GET /v1/workflows/workers/whoami names yours.',
  );
}

function readMessage(body: Buffer, encoding: string | undefined): Uint8Array {
  if (body.length < PREFIX_BYTES || body.readUInt32BE(1) !== body.length - PREFIX_BYTES)
    throw new Refusal(CODES.invalidArgument, 'The request must be one whole message.');
  const message = body.subarray(PREFIX_BYTES);
  if (body[0] === 0) return message;
  if (encoding !== 'gzip') throw new Refusal(CODES.unimplemented, 'Messages may be compressed with gzip only.');
  try {
    return gunzipSync(message, { maxOutputLength: MESSAGE_BYTES_MAX });
  } catch {
    throw new Refusal(CODES.invalidArgument, 'The message cannot be unpacked, or is too large then.');
  }
}
