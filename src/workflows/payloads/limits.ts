import { workflowErrors } from '../errors.ts';

/** The size limit of a payload as JSON, for inputs, steps, signals and results. */
export const PAYLOAD_BYTES_MAX = 2 * 1024 * 1024;

export function checkPayload(value: unknown, loc: (string | number)[]): void {
  const bytes = Buffer.byteLength(JSON.stringify(value) ?? '');
  if (bytes <= PAYLOAD_BYTES_MAX) return;
  const msg = `This has ${bytes} bytes as JSON; the limit is ${PAYLOAD_BYTES_MAX}. Store the content as a file and pass its id.`;
  throw workflowErrors.payload_too_large(loc, msg, null);
}
