/** A mistake in the environment or the configuration file; shown without a stack. */
export class ConfigError extends Error {}
