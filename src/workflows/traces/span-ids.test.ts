import { expect, it } from 'vitest';
import { traceOfStep } from '../../../packages/workflows/src/trace-of-step.ts';
import { toTraceId } from '../../metering/index.ts';
import { spanIdOf } from './span-ids.ts';

it.each([
  ['made here', '0198c0de-1111-7abc-8def-0123456789ab', '0198c0de11117abc8def0123456789ab'],
  ['named by its caller', 'order-17', undefined],
  ['of zeros, which no trace may have', '00000000-0000-0000-0000-000000000000', undefined],
])('the header that a worker gives a step names the spans of the server, for an id %s', (_, executionId, traceId) => {
  const header = traceOfStep(executionId, 'run', '3');
  expect(header).toBe(`00-${toTraceId(executionId)}-${spanIdOf('run', '3')}-01`);
  expect(header).toMatch(/^00-(?!0{32})[0-9a-f]{32}-[0-9a-f]{16}-01$/);
  if (traceId) expect(toTraceId(executionId)).toBe(traceId);
});
