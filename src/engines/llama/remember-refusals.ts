import { createHash } from 'node:crypto';
import { ApiError, ValidationFailed } from '../../kit/http/index.ts';
import { engineErrors } from '../errors.ts';
import type { LlamaRequest } from './protocol.ts';

const rememberedMax = 256;
const CODES: string[] = [engineErrors.grammar_too_expensive.code, engineErrors.grammar_too_slow.code];

/** Schemas that could not be followed are refused at once when they come again, before they reach the process. */
export function createRefusals() {
  const known = new Map<string, Error>();
  return {
    check(request: LlamaRequest): void {
      const error = known.size > 0 && hasSchema(request) ? known.get(digest(request)) : undefined;
      if (error) throw error;
    },
    note(request: LlamaRequest, error: unknown): void {
      if (!isRefusal(error) || !hasSchema(request)) return;
      known.set(digest(request), error);
      const [oldest] = known.keys();
      if (known.size > rememberedMax && oldest !== undefined) known.delete(oldest);
    },
  };
}

function isRefusal(error: unknown): error is Error {
  const code =
    error instanceof ApiError ? error.code : error instanceof ValidationFailed ? error.items[0]?.type : undefined;
  return typeof code === 'string' && CODES.includes(code);
}

function hasSchema({ type, request }: LlamaRequest): boolean {
  return type === 'chat' && (request.tools.length > 0 || request.format.type === 'json_schema');
}

function digest({ request }: LlamaRequest): string {
  const { format, tools, toolChoice } = request as Extract<LlamaRequest, { type: 'chat' }>['request'];
  return createHash('sha256')
    .update(JSON.stringify([format, tools, toolChoice]))
    .digest('base64');
}
