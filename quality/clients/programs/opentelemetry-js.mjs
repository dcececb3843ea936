// OpenTelemetry for JavaScript
// install: npm @opentelemetry/api@1.10.0 @opentelemetry/sdk-trace@3.1.0 @opentelemetry/exporter-trace-otlp-proto@0.301.0 @opentelemetry/exporter-trace-otlp-http@0.301.0
// checks: telemetry
// note: Spans are read again under `/v1/observability`. `traceparent` on a request joins the server's own span with the program's.

import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';

const server = process.env.TRAMONTANE_URL;
const headers = { authorization: `Bearer ${process.env.TRAMONTANE_API_KEY}` };
const exporter = new OTLPTraceExporter({ url: `${server}/telemetry/v1/traces`, headers });
const provider = new TracerProvider({ spanProcessors: [new BatchSpanProcessor({ exporter })] });
const tracer = provider.getTracer('program');

// ---
import assert from 'node:assert/strict';
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http';

/** A span of the program, a chat within it, and the spans of that trace as the server has them. */
async function tell(teller, name) {
  const span = teller.startSpan(name);
  const { traceId, spanId } = span.spanContext();
  const body = JSON.stringify({ model: 'mistral-small-latest', messages: [{ role: 'user', content: 'Hello' }] });
  const traceparent = `00-${traceId}-${spanId}-01`;
  const reply = await fetch(`${server}/v1/chat/completions`, {
    method: 'POST',
    headers: { ...headers, traceparent, 'content-type': 'application/json' },
    body,
  });
  assert.equal(reply.status, 200);
  span.setAttribute('program.answer', 42);
  span.end();
  return async () => {
    const found = await fetch(`${server}/v1/observability/traces/${traceId}/spans`, { headers });
    const { spans } = await found.json();
    const own = spans.results.find((one) => one.span_name === name);
    assert.equal(own?.span_attributes['program.answer'], '42');
    const chat = spans.results.find((one) => one.operation_name === 'chat');
    assert.equal(chat?.parent_span_id, own.span_id);
    return spans.results.length;
  };
}

const json = new TracerProvider({
  spanProcessors: [
    new BatchSpanProcessor({ exporter: new JsonExporter({ url: `${server}/telemetry/v1/traces`, headers }) }),
  ],
});
const readers = [await tell(tracer, 'protobuf'), await tell(json.getTracer('program'), 'json')];
await Promise.all([provider.shutdown(), json.shutdown()]);
const counts = [];
for (const read of readers) counts.push(await read());
console.log('telemetry:', `${counts.join(' + ')} spans`);
