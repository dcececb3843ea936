import { expect, it } from 'vitest';
import { guardrailOf, isBlocked, thresholdsOf } from './guardrail.ts';

it('a text is blocked by the categories whose score is above their threshold, and by no other', () => {
  expect(isBlocked({ sexual: 0.6, law: 0.9, pii: 0.3 }, { sexual: 0.5, pii: 0.3 })).toEqual(['sexual']);
});

it('the thresholds of a guardrail are read back as they were set', () => {
  const thresholds = { sexual: 0.2, jailbreaking: 0.9 };
  expect(thresholdsOf([guardrailOf('m', thresholds)])).toEqual(thresholds);
  expect(thresholdsOf([{ block_on_error: true }])).toBeUndefined();
  expect(thresholdsOf(null)).toBeUndefined();
});
