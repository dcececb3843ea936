/** The codes of gRPC that this gateway gives itself. */
export const CODES = {
  invalidArgument: 3,
  permissionDenied: 7,
  resourceExhausted: 8,
  unimplemented: 12,
  internal: 13,
  unavailable: 14,
  unauthenticated: 16,
} as const;

/** A call that ends here, and the words that the caller gets. */
export class Refusal extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** As the protocol has it: what is not printable ASCII is percent-encoded, and the percent sign itself. */
export function statusHeaders(code: number, message: string): Record<string, string> {
  const encoded = message.replace(/[^\x20-\x24\x26-\x7e]+/g, (odd) => encodeURIComponent(odd));
  return { 'grpc-status': String(code), 'grpc-message': encoded };
}
