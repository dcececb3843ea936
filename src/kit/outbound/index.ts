export type { Lookup } from './connect-guarded.ts';
export { OutboundBlocked, OutboundError, OutboundFailed, OutboundTimeout, OutboundTooLarge } from './errors.ts';
export { isPublicAddress } from './judge-address.ts';
export { createUrlJudge } from './judge-url.ts';
export { createOutbound, type Outbound, type OutboundInit, type OutboundOptions } from './outbound.ts';
export type { OutboundResponse } from './read-response.ts';
