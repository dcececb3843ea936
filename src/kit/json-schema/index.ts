export { type Check, compileSchema, type JsonSchema, SCHEMA_CHARACTERS_MAX } from './compile-schema.ts';
