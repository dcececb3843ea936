import { expect, it } from 'vitest';
import type { UsageRecordRow } from './store/tables.ts';
import { totalByDay } from './total-by-day.ts';

const record = {
  id: 'a',
  created_at: '2026-03-01T10:00:00.000000Z',
  organization_id: 'o',
  workspace_id: 'w',
  key_id: 'k',
  model: 'small',
  kind: 'chat',
  prompt_tokens: 5,
  completion_tokens: 3,
  cached_tokens: 2,
  cost_micros: 7,
} as UsageRecordRow;

it('the requests of a key, model, kind and day are one sum, in whichever order they came', () => {
  const others = [
    { created_at: '2026-03-02T00:00:00.000000Z' },
    { organization_id: 'p' },
    { workspace_id: 'v' },
    { key_id: 'l' },
    { model: 'large' },
    { kind: 'embeddings' as const },
  ];
  for (const other of others) {
    const totals = totalByDay([record, { ...record, ...other }, record]);
    expect(totals).toHaveLength(2);
    expect(totals).toContainEqual({
      ...{ organization_id: 'o', workspace_id: 'w', key_id: 'k', model: 'small', kind: 'chat', day: '2026-03-01' },
      ...{ requests: 2, prompt_tokens: 10, completion_tokens: 6, cached_tokens: 4, cost_micros: 14 },
    });
  }
});

it('sums are written in the order of their key, whoever was first, so that two writers do not wait for each other', () => {
  const models = ['c', 'a', 'b'].map((model) => ({ ...record, model }));
  expect(totalByDay(models).map(({ model }) => model)).toEqual(['a', 'b', 'c']);
});
