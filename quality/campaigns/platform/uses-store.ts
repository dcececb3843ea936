import { hasStore } from '../../../test/support/s3.ts';

/** `TRAMONTANE_TRUST_STORE=1` runs the short forms with files in an S3-compatible store; the full ones run both ways. */
export const usesStore = process.env.TRAMONTANE_TRUST_STORE === '1' && hasStore;
