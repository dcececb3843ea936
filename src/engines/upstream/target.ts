import type { Clock } from '../../kit/base/clock.ts';
import { type Breaker, type BreakerSettings, createBreaker } from './breaker.ts';
import type { Dialect } from './request-body.ts';

/** Where a model is found. Addresses come from the operator's file. */
export type UpstreamTarget = {
  url: string;
  apiKey: string | undefined;
  model: string;
  /** Limit for the first byte, and for each pause after it. */
  timeoutMs: number;
};

/** A target and what we have learnt about it. */
export type KnownTarget = {
  origin: string;
  basePath: string;
  headers: Record<string, string>;
  model: string;
  timeoutMs: number;
  breaker: Breaker;
  dialect: Dialect;
  /** False once the server has refused a response format: then the prompt asks for it. */
  knowsFormats: boolean;
  /** Mistral's own path for fill in the middle, until the server turns out not to have it. */
  fimPath: '/fim/completions' | '/completions';
  /** False once the server turned out to have no WebSocket for live audio. */
  knowsLive: boolean;
};

export function knowTarget(target: UpstreamTarget, settings: BreakerSettings, now: Clock): KnownTarget {
  const url = new URL(target.url);
  return {
    origin: url.origin,
    basePath: url.pathname.replace(/(?<!\/)\/+$/, ''),
    headers: {
      'content-type': 'application/json',
      ...(target.apiKey ? { authorization: `Bearer ${target.apiKey}` } : {}),
    },
    model: target.model,
    timeoutMs: target.timeoutMs,
    breaker: createBreaker(settings, now),
    dialect: 'openai',
    knowsFormats: true,
    fimPath: '/fim/completions',
    knowsLive: true,
  };
}
