import { describe, expect, it } from 'vitest';
import { newScope } from './registry-for-tests.ts';
import { createReplyCache } from './reply-cache.ts';

const replyOf = (text: string) => ({ value: {}, text, etag: '"x"' });
const reply = replyOf('{}');

describe('the reply cache', () => {
  it('keeps a reply until its workspace changes', () => {
    const cache = createReplyCache({ kind: 'sqlite' });
    const [ann, bob] = [newScope(), newScope()];
    for (const viewer of [ann, bob]) cache.watch()(viewer, 'a', {}, reply);
    expect(cache.get(ann, 'a', {})).toBe(reply);
    cache.forget(ann.workspace_id);
    expect(cache.get(ann, 'a', {})).toBeUndefined();
    expect(cache.get(bob, 'a', {})).toBe(reply);
  });

  it('does not keep a reply that was being read during a change', () => {
    const cache = createReplyCache({ kind: 'sqlite' });
    const ann = newScope();
    const keep = cache.watch();
    cache.forget(ann.workspace_id);
    keep(ann, 'a', {}, reply);
    expect(cache.get(ann, 'a', {})).toBeUndefined();
  });

  it('distinguishes a number from an alias that looks like one, and no alias from an empty one', () => {
    const cache = createReplyCache({ kind: 'sqlite' });
    const ann = newScope();
    cache.watch()(ann, 'a', { version: 1 }, reply);
    cache.watch()(ann, 'a', {}, reply);
    expect(cache.get(ann, 'a', { alias: '1' })).toBeUndefined();
    expect(cache.get(ann, 'a', { alias: '' })).toBeUndefined();
    expect(cache.get(ann, 'a', { version: 1 })).toBe(reply);
  });

  it('is disabled on PostgreSQL, where other processes make changes too', () => {
    const cache = createReplyCache({ kind: 'postgres' });
    const ann = newScope();
    cache.watch()(ann, 'a', {}, reply);
    expect(cache.get(ann, 'a', {})).toBeUndefined();
  });

  it('has a size limit', () => {
    const cache = createReplyCache({ kind: 'sqlite' });
    const ann = newScope();
    const large = replyOf('x'.repeat(1024 * 1024));
    for (let i = 0; i <= 16; i++) cache.watch()(ann, `${i}`, {}, large);
    expect(cache.get(ann, '0', {})).toBeUndefined();
    expect(cache.get(ann, '16', {})).toBe(large);
  });
});
