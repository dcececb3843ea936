import { ApiError, type ErrorStyle, type RenderedError, type ValidationFailed } from '../../kit/http/index.ts';
import { OpenAiError } from '../schema/openai-chat.ts';

type Shown = { message: string; type: string; param: string | null; code: string | null };

/** Codes that clients of this API look for, by ours. */
const KNOWN: Record<string, { status?: number; code: string; param?: string; type?: string }> = {
  unknown_model: { status: 404, code: 'model_not_found', param: 'model' },
  model_not_found: { code: 'model_not_found', param: 'model' },
  prompt_too_long: { code: 'context_length_exceeded', param: 'messages' },
  max_tokens_too_large: { code: 'context_length_exceeded', param: 'max_tokens' },
  unauthorized: { code: 'invalid_api_key' },
  budget_spent: { code: 'insufficient_quota', type: 'insufficient_quota' },
  budget_held: { code: 'insufficient_quota', type: 'insufficient_quota' },
  input_item_not_found: { code: 'input_item_not_found', param: 'input' },
  previous_response_not_found: { code: 'previous_response_not_found', param: 'previous_response_id' },
};

/** An error in OpenAI's words. */
export function renderOpenAiError(error: ApiError | ValidationFailed): RenderedError {
  if (!(error instanceof ApiError)) return { status: 400, body: { error: describeInvalid(error) } };
  const { status, shown } = describeRefusal(error);
  return { status, body: { error: shown } };
}

export function describeRefusal(error: ApiError): { status: number; shown: Shown } {
  const known = KNOWN[error.code ?? ''];
  const status = known?.status ?? error.status;
  const message =
    error.status === 401 && error.code === 'unauthorized'
      ? 'Incorrect API key provided. Send a key of this server as `Authorization: Bearer <key>`.'
      : error.message;
  const code = known?.code ?? (status === 429 ? 'rate_limit_exceeded' : error.code);
  return { status, shown: { message, type: known?.type ?? typeOf(status), param: known?.param ?? null, code } };
}

/** The first mistake: this API has room for one. Of a field with several forms, the form that fits furthest. */
function describeInvalid({ items }: ValidationFailed): Shown {
  const field = items[0]?.loc[1];
  const [first] = items.filter(({ loc }) => loc[1] === field).sort((a, b) => b.loc.length - a.loc.length);
  const [, ...names] = first?.loc ?? [];
  const param = names
    .filter((name) => typeof name === 'number' || /^[\w.-]+$/.test(name))
    .filter((name) => !/^(option|list)\b/.test(String(name)) && name !== 'str')
    .reduce<string>(
      (path, name) => (typeof name === 'number' ? `${path}[${name}]` : path ? `${path}.${name}` : name),
      '',
    );
  const type = 'invalid_request_error';
  if (first?.type === 'extra_forbidden')
    return { message: `Unknown parameter: '${param}'.`, type, param, code: 'unknown_parameter' };
  if (first?.type === 'missing' && param !== '')
    return { message: `Missing required parameter: '${param}'.`, type, param, code: 'missing_required_parameter' };
  if (param === '') return { message: first?.msg ?? 'The request is not valid.', type, param: null, code: null };
  return { message: `Invalid '${param}': ${first?.msg ?? 'not valid'}.`, type, param, code: 'invalid_value' };
}

function typeOf(status: number): string {
  if (status === 403) return 'permission_error';
  if (status === 429) return 'rate_limit_error';
  return status >= 500 ? 'server_error' : 'invalid_request_error';
}

export const openAiErrorStyle: ErrorStyle = { shape: 'own', own: { render: renderOpenAiError, schema: OpenAiError } };
