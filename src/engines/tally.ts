/** The input counts once, however many choices were made from it. */
export type EngineUsage = {
  promptTokens: number;
  completionTokens: number;
  cachedTokens?: number;
  reasoningTokens?: number;
};

/**
 * Takes what each attempt at a request used, whether or not its answer is used. An engine adds the figures of the model, or an
 * estimate of what was sent and what arrived; nothing for an attempt that was refused before a model ran.
 */
export type Tally = {
  add(usage: EngineUsage): void;
  /** Awaited before each further attempt; throws when there may be none. */
  admit(): void | Promise<void>;
};
