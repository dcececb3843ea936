import { Agent, request } from 'undici';
import { ApiError, unavailable } from '../../kit/http/index.ts';

export type UpstreamTarget = { url: string; apiKey: string | undefined; model: string; timeoutMs: number };

export type Upstream = {
  /** Asks an OpenAI-compatible server for one whole completion and returns its JSON. */
  complete(target: UpstreamTarget, body: Record<string, unknown>, signal: AbortSignal): Promise<unknown>;
  close(): Promise<void>;
};

const RETRY_AFTER_SECONDS = 5;

export function createUpstream(): Upstream {
  const agent = new Agent({ keepAliveTimeout: 30_000, connections: 256 });
  return {
    async complete({ url, apiKey, model, timeoutMs }, body, signal) {
      const response = await send().catch((cause: unknown) => {
        if (signal.aborted) throw cause;
        throw unavailable('The model server cannot be reached. Try again in a moment.', RETRY_AFTER_SECONDS, { cause });
      });
      if (response.statusCode >= 400) {
        await response.body.dump();
        throw refusal(response.statusCode);
      }
      return response.body.json().catch((cause: unknown) => {
        throw new ApiError(502, 'The model server answered with something that is not JSON.', { cause });
      });

      function send() {
        return request(`${url.replace(/\/+$/, '')}/chat/completions`, {
          method: 'POST',
          dispatcher: agent,
          signal,
          headersTimeout: timeoutMs,
          bodyTimeout: timeoutMs,
          headers: { 'content-type': 'application/json', ...(apiKey ? { authorization: `Bearer ${apiKey}` } : {}) },
          body: JSON.stringify({ ...body, model }),
        });
      }
    },
    close: () => agent.close(),
  };
}

// What the upstream says may name its own keys and addresses, so only its status is passed on.
function refusal(status: number): ApiError {
  if (status === 429) {
    return new ApiError(429, 'Rate limit exceeded', {
      code: '1300',
      headers: { 'retry-after': String(RETRY_AFTER_SECONDS) },
    });
  }
  if (status === 401 || status === 403) {
    return new ApiError(
      502,
      "The model server refused our credentials. Ask the operator to check the model's api_key.",
    );
  }
  if (status < 500) return new ApiError(400, 'The model server does not accept this request.');
  return unavailable('The model server failed. Try again in a moment.', RETRY_AFTER_SECONDS);
}
