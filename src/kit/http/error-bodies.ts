import type { z } from 'zod';
import { type ApiError, ValidationFailed } from './errors.ts';
import { explainValidation } from './explain-validation.ts';

/**
 * The error body of a family of paths: `object` is the inference style, `detail` a bare sentence, `coded` a sentence with a
 * code and a fixed text for server errors, `own` whatever `own` renders, for paths that speak another API.
 */
export type ErrorStyle = {
  shape: 'object' | 'detail' | 'coded' | 'own';
  own?: { render(error: ApiError | ValidationFailed): RenderedError; schema: z.ZodType };
  unauthorized?: string;
  validationCode?: string;
  /** A 422 has the fields of the other errors beside its list, for clients that show nothing else. */
  explainsValidation?: boolean;
};

export type RenderedError = { status: number; body: unknown };

export type ErrorStyles = [prefix: string, style: ErrorStyle][];

const DEFAULT_STYLE: ErrorStyle = { shape: 'object' };
const FIXED_SERVER_ERROR = 'An error occurred';

export function styleOf(styles: ErrorStyles, path: string): ErrorStyle {
  for (const [prefix, style] of styles) {
    if (path === prefix || path.startsWith(`${prefix}/`) || path.startsWith(`${prefix}?`)) return style;
  }
  return DEFAULT_STYLE;
}

export function renderError(error: ApiError | ValidationFailed, style: ErrorStyle): RenderedError {
  if (style.own) return style.own.render(error);
  return { status: error instanceof ValidationFailed ? 422 : error.status, body: errorBody(error, style) };
}

export function errorBody(error: ApiError | ValidationFailed, style: ErrorStyle): unknown {
  if (error instanceof ValidationFailed) {
    const code = style.validationCode;
    const words = style.explainsValidation && explainValidation(error.items);
    return { ...words, detail: error.items, ...(code && { code }), ...error.extra };
  }
  if (error.body !== undefined) return error.body;
  if (error.status === 401) return { detail: style.unauthorized ?? 'Unauthorized' };
  const { message, type, wireCode: code } = error;
  switch (style.shape) {
    case 'object':
    case 'own':
      return { object: 'error', message, type, param: null, code };
    case 'detail':
      return { detail: message };
    case 'coded':
      return { detail: error.status >= 500 ? FIXED_SERVER_ERROR : message, code };
  }
}
