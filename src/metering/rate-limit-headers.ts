import type { Bucket } from './bucket.ts';

/** The headers that the original platform sends, for the tightest of several limits. */
export function rateLimitHeaders({
  requests,
  tokens,
  estimatedTokens,
  nowMs,
}: {
  requests: readonly Bucket[];
  tokens: readonly Bucket[];
  estimatedTokens: number;
  nowMs: number;
}): Record<string, string> {
  const headers: Record<string, string> = {};
  const request = tightest(requests, nowMs);
  if (request) {
    headers['x-ratelimit-limit-req-minute'] = String(request.limit);
    headers['x-ratelimit-remaining-req-minute'] = String(request.remaining);
  }
  const token = tightest(tokens, nowMs);
  if (token) {
    headers['x-ratelimit-limit-tokens-minute'] = String(token.limit);
    headers['x-ratelimit-remaining-tokens-minute'] = String(token.remaining);
    headers['x-ratelimit-tokens-query-cost'] = String(Math.ceil(estimatedTokens));
  }
  return headers;
}

function tightest(buckets: readonly Bucket[], nowMs: number): { limit: number; remaining: number } | undefined {
  let found: { limit: number; remaining: number } | undefined;
  for (const bucket of buckets) {
    const remaining = bucket.remainingPerMinute(nowMs);
    if (!found || remaining < found.remaining) found = { limit: bucket.perMinute, remaining };
  }
  return found;
}
