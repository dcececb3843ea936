export { createUpstream, type Upstream, type UpstreamTarget } from './upstream/complete.ts';
