import type { Tenant } from '../../kit/fair-queue/index.ts';

export type EmbedSettings = { modelFile: string; tokenizerFile: string; threads: number };

export type EmbedRequest = { kind: 'embed' | 'count'; texts: string[]; tenant: Tenant };

/** All vectors in one array, in the order of the texts; none when tokens were only counted. */
export type EmbedReply = { vectors?: Float32Array; tokens: number[] };
