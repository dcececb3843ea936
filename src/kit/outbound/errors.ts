// Every message here is public: it names the host as it was asked for, never the address behind the name.
// What a client must not see (resolved addresses, socket errors) is the `cause`, which only the log shows.

export class OutboundError extends Error {
  override name = 'OutboundError';
}

/** Thrown before a byte is sent: the address itself is refused. */
export class OutboundBlocked extends OutboundError {
  override name = 'OutboundBlocked';
}

/** Thrown when the whole request, redirects and body included, takes longer than `timeoutMs`. */
export class OutboundTimeout extends OutboundError {
  override name = 'OutboundTimeout';
}

/** Thrown while the body is read, once it is known to exceed `bodyBytesMax`. */
export class OutboundTooLarge extends OutboundError {
  override name = 'OutboundTooLarge';
}

/** Thrown for every other failure: DNS, connection, TLS, broken HTTP, too many redirects. */
export class OutboundFailed extends OutboundError {
  override name = 'OutboundFailed';
}

export function addressBlocked(host: string, cause?: Error): OutboundBlocked {
  return new OutboundBlocked(
    `The address ${host} is not allowed. Ask the operator to add it to outbound.allow.`,
    cause && { cause },
  );
}

export function requestTimedOut(host: string, timeoutMs: number, cause?: unknown): OutboundTimeout {
  return new OutboundTimeout(`The address ${host} did not answer within ${timeoutMs} ms.`, { cause });
}
