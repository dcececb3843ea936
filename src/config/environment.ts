export type Environment = Record<string, string | undefined>;

/** The environment of this process. Commands override it with their flags; config.ts interprets it. */
export function processEnvironment(): Environment {
  return process.env;
}
