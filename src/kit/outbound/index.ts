export { type BoundedFetch, createBoundedFetch } from './bounded-fetch.ts';
export { createPublicUrlCheck } from './check-public-url.ts';
export { type AddressGuard, createAddressGuard, type Lookup } from './connect-guarded.ts';
export { OutboundBlocked, OutboundError, OutboundFailed, OutboundTimeout, OutboundTooLarge } from './errors.ts';
export { isPublicAddress } from './is-public-address.ts';
export { createOutbound, type Outbound, type OutboundInit, type OutboundOptions } from './outbound.ts';
export type { OutboundResponse } from './read-response.ts';
