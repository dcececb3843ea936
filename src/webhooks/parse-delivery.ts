import { parseJson } from '../kit/http/index.ts';
import { webhookErrors } from './errors.ts';

const FORM_TYPE = 'application/x-www-form-urlencoded';
const FIELDS_MAX = 1000;

/** The body as a value of JSON: JSON, a form, or a form whose field `payload` is JSON. */
export function parseDelivery(bytes: Uint8Array, contentType: string | undefined): unknown {
  if (!contentType?.toLowerCase().startsWith(FORM_TYPE)) return parseJson(bytes);
  const fields: [string, string][] = [];
  for (const field of new URLSearchParams(Buffer.from(bytes).toString('utf8'))) {
    if (fields.length === FIELDS_MAX)
      throw webhookErrors.webhook_invalid(['body'], `a form has at most ${FIELDS_MAX} fields`);
    fields.push(field);
  }
  const form = Object.fromEntries(fields);
  return fields.length === 1 && form.payload !== undefined ? parseJson(Buffer.from(form.payload)) : form;
}
