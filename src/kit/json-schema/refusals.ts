/** Thrown while a schema is prepared; neither leaves this module. */
export class InvalidSchema extends Error {}
export class TooExpensive extends Error {}
