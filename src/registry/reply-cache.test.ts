import { describe, expect, it } from 'vitest';
import { newScope } from './registry-for-tests.ts';
import { createReplyCache } from './reply-cache.ts';

const answerOf = (text: string) => ({ value: {}, text, etag: '"x"' });
const answer = answerOf('{}');

describe('the memory of answers', () => {
  it('keeps what it is told until its workspace changes', () => {
    const cache = createReplyCache({ kind: 'sqlite' });
    const [ann, bob] = [newScope(), newScope()];
    for (const viewer of [ann, bob]) cache.watch()(viewer, 'a', {}, answer);
    expect(cache.get(ann, 'a', {})).toBe(answer);
    cache.forget(ann.workspace_id);
    expect(cache.get(ann, 'a', {})).toBeUndefined();
    expect(cache.get(bob, 'a', {})).toBe(answer);
  });

  it('does not keep what was on its way when something changed', () => {
    const cache = createReplyCache({ kind: 'sqlite' });
    const ann = newScope();
    const keep = cache.watch();
    cache.forget(ann.workspace_id);
    keep(ann, 'a', {}, answer);
    expect(cache.get(ann, 'a', {})).toBeUndefined();
  });

  it('tells a number from an alias that looks like one, and no alias from an empty one', () => {
    const cache = createReplyCache({ kind: 'sqlite' });
    const ann = newScope();
    cache.watch()(ann, 'a', { version: 1 }, answer);
    cache.watch()(ann, 'a', {}, answer);
    expect(cache.get(ann, 'a', { alias: '1' })).toBeUndefined();
    expect(cache.get(ann, 'a', { alias: '' })).toBeUndefined();
    expect(cache.get(ann, 'a', { version: 1 })).toBe(answer);
  });

  it('keeps nothing where other processes change what it would remember', () => {
    const cache = createReplyCache({ kind: 'postgres' });
    const ann = newScope();
    cache.watch()(ann, 'a', {}, answer);
    expect(cache.get(ann, 'a', {})).toBeUndefined();
  });

  it('does not grow without end', () => {
    const cache = createReplyCache({ kind: 'sqlite' });
    const ann = newScope();
    const large = answerOf('x'.repeat(1024 * 1024));
    for (let i = 0; i <= 16; i++) cache.watch()(ann, `${i}`, {}, large);
    expect(cache.get(ann, '0', {})).toBeUndefined();
    expect(cache.get(ann, '16', {})).toBe(large);
  });
});
