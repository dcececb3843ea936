import { gunzipSync } from 'node:zlib';
import type { AllowedCall } from './allowed-calls.ts';
import { CODES, Refusal } from './grpc-status.ts';
import { addField, type Fields, Malformed, readFields } from './read-fields.ts';

/** Temporal's own limit for a message. */
export const MESSAGE_BYTES_MAX = 4 * 1024 * 1024;
/** One byte for compression, four for the length. */
export const PREFIX_BYTES = 5;

type Meaning = 'namespace' | 'inner' | 'refused';

/** The message of a body; throws a Refusal unless it is a single one that stays within the namespace. */
export function checkMessage(
  body: Buffer,
  encoding: string | undefined,
  call: AllowedCall,
  namespace: string,
): Uint8Array {
  const message = readMessage(body, encoding);
  if (!call.namespace) return message;
  const own = Buffer.from(namespace);
  let isNamed = false;
  try {
    readFields(message, fieldsOf(call, call.namespace), (meaning, from, to) => {
      if (meaning === 'refused')
        throw new Refusal(CODES.permissionDenied, 'This part of the request reaches beyond the namespace.');
      if (meaning === 'inner' && from === to) return;
      if (own.compare(message, from, to) !== 0) throw notOwn();
      if (meaning === 'namespace') isNamed = true;
    });
  } catch (error) {
    if (error instanceof Malformed) throw new Refusal(CODES.invalidArgument, 'The message cannot be read.');
    throw error;
  }
  if (!isNamed) throw notOwn();
  return message;
}

function fieldsOf({ inner = [], refused = [] }: AllowedCall, namespace: readonly number[]): Fields<Meaning> {
  const fields: Fields<Meaning> = new Map();
  addField(fields, namespace, 'namespace');
  for (const path of inner) addField(fields, path, 'inner');
  for (const path of refused) addField(fields, path, 'refused');
  return fields;
}

/** The same message whether the namespace exists or not. */
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
