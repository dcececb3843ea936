export type Environment = Record<string, string | undefined>;

/** What this process was started with. Commands pass it on with their flags laid over it; config.ts interprets it. */
export function processEnvironment(): Environment {
  return process.env;
}
