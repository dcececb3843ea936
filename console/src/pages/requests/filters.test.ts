import { expect, it } from 'vitest';
import { periodOf, toExpression } from './filters.ts';

it('filters become one expression, with what was typed kept together', () => {
  expect(toExpression({})).toBeUndefined();
  expect(toExpression({ status: 'error', model: "o'hara", slow: '0.5' })).toBe(
    "status_code = 'Error' AND request_model = 'o''hara' AND duration_ns > 500000000",
  );
  expect(toExpression({ status: 'ok', where: " key_id EXISTS OR tool_name = 'x' " })).toBe(
    "status_code != 'Error' AND (key_id EXISTS OR tool_name = 'x')",
  );
  expect(toExpression({ status: 'nonsense', slow: 'x' })).toBeUndefined();
  expect(periodOf({ period: 'nonsense' }).value).toBe('24h');
});
