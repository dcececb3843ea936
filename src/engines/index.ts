export { createUpstream, type Upstream } from './upstream/complete.ts';
