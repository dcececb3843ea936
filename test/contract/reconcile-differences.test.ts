import { describe, expect, it } from 'vitest';
import { reconcile } from './reconcile-differences.ts';

const found = [
  { at: 'UserIdentity', kind: 'closed-here', ours: 'closed', theirs: 'unspecified' },
  { at: 'UserIdentity.email', kind: 'required', ours: true, theirs: false },
] as const;
const reason = 'every object of ours refuses what it does not know';

describe('the list of known differences', () => {
  it('covers a difference by its place and kind', () => {
    const known = found.map(({ at, kind }) => ({ at, kind, reason }));
    expect(reconcile(found, known)).toEqual({ unlisted: [], gone: [] });
  });

  it('does not cover another kind at the same place', () => {
    const entry = { at: 'UserIdentity.email', kind: 'nullable', reason } as const;
    expect(reconcile(found, [entry])).toEqual({ unlisted: found, gone: [entry] });
  });

  it('does not cover what lies deeper unless it ends in a star', () => {
    const entry = { at: 'User', kind: 'closed-here', reason } as const;
    expect(reconcile(found, [entry]).unlisted).toEqual(found);
    expect(reconcile(found, [{ ...entry, at: 'User*' }])).toEqual({ unlisted: [found[1]], gone: [] });
  });

  it('reports an entry whose difference is gone', () => {
    const entry = { at: 'Agent*', kind: 'required', reason } as const;
    expect(reconcile(found, [entry]).gone).toEqual([entry]);
  });
});
