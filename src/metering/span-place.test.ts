import { expect, it } from 'vitest';
import { placeSpan, placeWithin, toSpanId, toTraceId, traceWithin } from './span-place.ts';

const REQUEST_ID = '0198c0de-1234-7567-89ab-0123456789ab';
const TRACE_ID = '0198c0de1234756789ab0123456789ab';
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = '00f067aa0ba902b7';

it('a request is in the trace of its client, under the span of its client', () => {
  const place = placeSpan({ traceparent: `00-${TRACE}-${PARENT}-01` }, REQUEST_ID);
  expect(place).toEqual({
    traceId: TRACE,
    parentId: PARENT,
    spanId: expect.stringMatching(/^[0-9a-f]{16}$/),
    isWithin: false,
  });
  expect(placeSpan({ traceparent: `00-${TRACE}-${PARENT}-01`, isWithin: true }, REQUEST_ID).isWithin).toBe(true);
});

it.each([
  undefined,
  '',
  'x',
  `00-${TRACE}-${PARENT}`,
  `x00-${TRACE}-${PARENT}-01`,
  `00-${TRACE.toUpperCase()}-${PARENT}-01`,
  `00-${'0'.repeat(32)}-${PARENT}-01`,
  `00-${TRACE}-${'0'.repeat(16)}-01`,
])('a request with the header %j is a trace of its own, with the id of the request', (traceparent) => {
  const alone = { traceId: TRACE_ID, parentId: '', isWithin: false };
  expect(placeSpan({ traceparent, isWithin: true }, REQUEST_ID)).toMatchObject(alone);
  expect(placeSpan(undefined, REQUEST_ID)).toMatchObject(alone);
});

it('work within a span has the trace of the span and is under it, also over HTTP', () => {
  const outer = placeSpan(undefined, REQUEST_ID);
  const inner = placeWithin(outer);
  expect(inner).toMatchObject({ traceId: outer.traceId, parentId: outer.spanId, isWithin: true });
  expect(inner.spanId).not.toBe(outer.spanId);
  expect(placeSpan(traceWithin(outer), 'another')).toMatchObject({ ...inner, spanId: expect.any(String) });
});

it('an id without the form of a trace id becomes one that is the same each time', () => {
  for (const id of ['job 7', `00000000-0000-0000${REQUEST_ID.slice(18)}`, `x${REQUEST_ID}`, `${REQUEST_ID}x`]) {
    expect(toTraceId(id)).toMatch(/^[0-9a-f]{32}$/);
    expect(toTraceId(id)).toBe(toTraceId(id));
    expect(toTraceId(id)).not.toContain('0123456789ab');
  }
  expect(toTraceId('job 7')).not.toBe(toTraceId('job 8'));
  expect(toSpanId('job 7')).toMatch(/^[0-9a-f]{16}$/);
  expect(toSpanId('job 7')).not.toBe(toSpanId('job 8'));
});
