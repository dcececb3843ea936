import type { Tenant } from '../../kit/fair-queue/index.ts';

/** `classify`: the model gives logits of a text instead of a vector per token. */
export type EmbedTask = 'embed' | 'classify';

export type EmbedSettings = { modelFile: string; tokenizerFile: string; threads: number; task: EmbedTask };

export type EmbedRequest = { kind: 'embed' | 'count'; texts: string[]; tenant: Tenant };

/** All vectors or logits in one array, in the order of the texts; none when tokens were only counted. */
export type EmbedReply = { vectors?: Float32Array; tokens: number[] };
