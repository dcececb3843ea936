export type EmbedSettings = { modelFile: string; tokenizerFile: string; threads: number };

export type EmbedRequest = { kind: 'embed' | 'count'; texts: string[] };

/** All vectors in one array, in the order of the texts; none when tokens were only counted. */
export type EmbedReply = { vectors?: Float32Array; tokens: number[] };
