/** The gRPC status codes of the gateway itself. */
export const CODES = {
  invalidArgument: 3,
  notFound: 5,
  permissionDenied: 7,
  resourceExhausted: 8,
  unimplemented: 12,
  internal: 13,
  unavailable: 14,
  unauthenticated: 16,
} as const;

/** A rejected call, with the message for the caller. */
export class Refusal extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** Percent-encodes everything but printable ASCII, as gRPC requires. */
export function statusHeaders(code: number, message: string): Record<string, string> {
  const encoded = message.replace(/[^\x20-\x24\x26-\x7e]+/g, (odd) => encodeURIComponent(odd));
  return { 'grpc-status': String(code), 'grpc-message': encoded };
}
