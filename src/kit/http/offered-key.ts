import type { IncomingHttpHeaders } from 'node:http';

/** A browser cannot set headers on a WebSocket, so its key is one of the protocols that it offers. */
export const KEY_PROTOCOL = 'bearer.';

/** `Bearer <key>` from the protocols that a browser offered. */
export function offeredKey(headers: IncomingHttpHeaders): string | undefined {
  const offered = headers['sec-websocket-protocol']?.split(',').map((one) => one.trim());
  const found = offered?.find((one) => one.startsWith(KEY_PROTOCOL));
  return found && `Bearer ${found.slice(KEY_PROTOCOL.length)}`;
}
