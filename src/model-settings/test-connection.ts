import type { Clock } from '../kit/base/clock.ts';
import { type Outbound, OutboundBlocked, OutboundError } from '../kit/outbound/index.ts';
import { readOffers } from './read-offers.ts';
import type { ConnectionReport } from './schema.ts';

const ANTHROPIC = 'api.anthropic.com';

/** Asks a server for its models. Failures are reports, because they are what a test is for. */
export async function testConnection(
  outbound: Outbound,
  { url, apiKey, now, signal }: { url: string; apiKey: string | null; now: Clock; signal?: AbortSignal | undefined },
): Promise<ConnectionReport> {
  const address = new URL(url);
  const at = `${url.endsWith('/') ? url.slice(0, -1) : url}/models`;
  const startedMs = now();
  try {
    const response = await outbound.fetch(at, { headers: headersFor(address, apiKey), redirect: 'manual', signal });
    const latency_ms = Math.max(0, now() - startedMs);
    if (response.status < 200 || response.status > 299) {
      await response.discard();
      return failure(explainStatus(response.status, apiKey !== null), latency_ms);
    }
    const models = readOffers(parse(await response.text()));
    if (!models)
      return failure('The server answered, but with no list of models. Does the address end in /v1?', latency_ms);
    const message = models.length === 1 ? 'Connected: one model.' : `Connected: ${models.length} models.`;
    return { ok: true, message, latency_ms, models };
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    return failure(explainFailure(error, address), null);
  }
}

function headersFor({ hostname }: URL, apiKey: string | null): Record<string, string> {
  if (apiKey === null) return {};
  // Its list of models is not part of what it offers in the OpenAI dialect.
  const own = hostname === ANTHROPIC ? { 'x-api-key': apiKey, 'anthropic-version': '2023-06-01' } : {};
  return { authorization: `Bearer ${apiKey}`, ...own };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function explainStatus(status: number, hasKey: boolean): string {
  if (status === 401 || status === 403)
    return hasKey ? 'The server refused the key. Check it.' : 'The server asks for a key. Enter one.';
  if (status === 404) return 'The server has no list of models here. The address usually ends in /v1.';
  if (status < 400) return 'The server sends us elsewhere. Enter the address that it names.';
  return `The server answered with status ${status}. Try again in a moment.`;
}

function explainFailure(error: OutboundError, { host }: URL): string {
  if (error instanceof OutboundBlocked)
    return `${host} is an address of a private network. Allow private addresses if the server is yours.`;
  return `${error.message} Is the server started, and is the address right?`;
}

function failure(message: string, latency_ms: number | null): ConnectionReport {
  return { ok: false, message, latency_ms, models: [] };
}
