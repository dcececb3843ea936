import { z } from 'zod';
import {
  ApiError,
  type ErrorStyle,
  explainValidation,
  type RenderedError,
  type ValidationFailed,
} from '../kit/http/index.ts';

/** Codes that the official SDKs name otherwise than we do; all others are ours in capitals. */
const NAMES: Record<string, string> = {
  judge_name_taken: 'JUDGE_NAME_ALREADY_EXISTS',
  permission_denied: 'AUTH_FORBIDDEN',
  unauthorized: 'AUTH_UNAUTHORIZED',
  expression_not_valid: 'SEARCH_BAD_REQUEST',
  aggregation_not_valid: 'SEARCH_BAD_REQUEST',
  field_not_found: 'FIELDS_BAD_REQUEST',
};

const ObservabilityError = z
  .object({
    detail: z
      .object({ message: z.string(), error_code: z.string().nullable() })
      .meta({ id: 'ObservabilityErrorDetail' }),
    object: z.literal('error').optional(),
    message: z.string().optional(),
    type: z.string().optional(),
    param: z.string().nullable().optional(),
    code: z.string().nullable().optional(),
    errors: z.array(z.unknown()).optional().describe('Of a 422: every mistake, with its place'),
  })
  .meta({ id: 'ObservabilityError' });

/** The fields of every other error, and `detail` as the official SDKs read it under `/v1/observability`. */
function render(error: ApiError | ValidationFailed): RenderedError {
  if (!(error instanceof ApiError)) {
    const { items, extra } = error;
    const words = explainValidation(items, 'errors');
    const detail = { message: words.message, error_code: 'VALIDATION_ERROR' };
    return { status: 422, body: { ...words, ...extra, errors: items, detail } };
  }
  const { status, message, type, wireCode: code } = error;
  if (error.body !== undefined) return { status, body: error.body };
  const error_code = code ? (NAMES[code] ?? code.toUpperCase()) : null;
  return { status, body: { object: 'error', message, type, param: null, code, detail: { message, error_code } } };
}

export const observabilityErrorStyle: ErrorStyle = { shape: 'own', own: { render, schema: ObservabilityError } };
