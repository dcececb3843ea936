import { ApiError, type RequestContext } from '../kit/http/index.ts';

/** RFC 9209: clients of the gateway tell its own errors from those of the connector by this header. */
export function noteProxyError(error: unknown, { setHeader }: Pick<RequestContext, 'setHeader'>): unknown {
  if (error instanceof ApiError) {
    setHeader('proxy-status', `connectors-gateway; error=${typeOf(error.status)}; details="${error.code}"`);
  }
  return error;
}

function typeOf(status: number): string {
  if (status === 404) return 'destination_not_found';
  if (status === 504) return 'http_response_timeout';
  if (status === 502) return 'destination_unavailable';
  return status < 500 ? 'http_request_denied' : 'proxy_internal_error';
}
