import type { jsonSchemaValidator } from '@modelcontextprotocol/client';
import { prepareSchema } from '../kit/json-schema/index.ts';

/** For the library, whose own validator compiles what a remote server sends and takes as long as that server likes. */
export const boundedValidator: jsonSchemaValidator = {
  getValidator<T>(schema: object) {
    const prepared = prepareSchema(schema as Record<string, unknown>);
    if (typeof prepared === 'string')
      throw new Error(prepared === 'invalid' ? 'not a valid JSON schema' : 'takes too much work to check');
    return (value: unknown) => {
      const verdict = prepared.check(value);
      if (verdict === 'valid') return { valid: true as const, data: value as T, errorMessage: undefined };
      const reason = verdict === 'invalid' ? prepared.explain(value)[0]?.message : 'takes too much work to check';
      return { valid: false as const, data: undefined, errorMessage: reason ?? 'does not match its schema' };
    };
  },
};
