import { randomBytes } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { request as send } from 'undici';
import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/log.ts';
import type { HttpObserver } from './server.ts';

const FLUSH_MS = 2000;
const BATCH_SPANS = 512;
const QUEUE_SPANS_MAX = 4096;
const EXPORT_TIMEOUT_MS = 10_000;
const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;
const SPAN_KIND_SERVER = 2;
const STATUS_ERROR = 2;

type Span = Record<string, unknown>;
export type Tracing = { observer: HttpObserver; stop(): Promise<void> };

/**
 * One OpenTelemetry span per request, sent in batches as OTLP over HTTP with JSON, which every collector takes.
 * A caller's `traceparent` is continued. Paths appear as route patterns and no header or body is ever attached.
 * While the collector is unreachable its spans are lost, nothing else.
 */
export function createTracing(options: {
  endpoint: string;
  serviceName: string;
  serviceVersion: string;
  now: Clock;
  log: Logger;
}): Tracing {
  const { endpoint, serviceName, serviceVersion, now, log } = options;
  const url = `${endpoint.replace(/(?<!\/)\/+$/, '')}/v1/traces`;
  const resource = { attributes: [text('service.name', serviceName), text('service.version', serviceVersion)] };
  const queue: Span[] = [];
  let sending: Promise<void> | undefined;
  let isAway = false;

  async function flush(): Promise<void> {
    while (queue.length > 0) {
      const spans = queue.splice(0, BATCH_SPANS);
      const body = JSON.stringify({
        resourceSpans: [{ resource, scopeSpans: [{ scope: { name: serviceName }, spans }] }],
      });
      try {
        const response = await send(url, {
          method: 'POST',
          body,
          headers: { 'content-type': 'application/json' },
          headersTimeout: EXPORT_TIMEOUT_MS,
          bodyTimeout: EXPORT_TIMEOUT_MS,
        });
        await response.body.dump();
        if (response.statusCode >= 400) throw new Error(`the collector answered ${response.statusCode}`);
        isAway = false;
      } catch (error) {
        // Logged once, not for every batch.
        if (!isAway)
          log.warn({ err: error }, 'Traces cannot be delivered; they are dropped until the collector is back.');
        isAway = true;
      }
    }
  }

  function flushOnce(): Promise<void> {
    sending ??= flush().finally(() => {
      sending = undefined;
    });
    return sending;
  }

  const timer = setInterval(() => void flushOnce(), FLUSH_MS);
  timer.unref();
  return {
    observer: {
      onResponse(request, reply, route, elapsedMs) {
        if (queue.length >= QUEUE_SPANS_MAX) return;
        const endMs = now();
        queue.push({
          ...idsOf(request),
          name: `${request.method} ${route}`,
          kind: SPAN_KIND_SERVER,
          startTimeUnixNano: nanos(endMs - elapsedMs),
          endTimeUnixNano: nanos(endMs),
          attributes: [
            text('http.request.method', request.method),
            text('http.route', route),
            { key: 'http.response.status_code', value: { intValue: String(reply.statusCode) } },
            text('tramontane.request_id', request.id),
          ],
          status: reply.statusCode >= 500 ? { code: STATUS_ERROR } : {},
        });
        if (queue.length >= BATCH_SPANS) void flushOnce();
      },
    },
    async stop() {
      clearInterval(timer);
      await flushOnce();
    },
  };
}

function idsOf({ headers }: FastifyRequest): { traceId: string; spanId: string; parentSpanId?: string } {
  const spanId = randomBytes(8).toString('hex');
  const [, traceId, parentSpanId] = TRACEPARENT.exec(String(headers.traceparent ?? '')) ?? [];
  return traceId && parentSpanId
    ? { traceId, spanId, parentSpanId }
    : { traceId: randomBytes(16).toString('hex'), spanId };
}

function text(key: string, value: string) {
  return { key, value: { stringValue: value } };
}

// Nanoseconds exceed what a number holds, so the last digits are appended as text.
function nanos(ms: number): string {
  return `${Math.round(ms * 1000)}000`;
}
