/** A mistake in the environment or the file; the message is all the user needs to see. */
export class ConfigError extends Error {}
