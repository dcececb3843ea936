import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryDir } from '../../../test/support/databases.ts';
import { createFileKeyring, createFixedKeyring, createSecretBox } from './index.ts';

it('a sealed text opens at its place and nowhere else, and not after a change of one bit', () => {
  const box = createSecretBox(createFixedKeyring([randomBytes(32).toString('base64')]));
  const sealed = box.seal('hunter2', 'row 1');
  expect(sealed).not.toContain('hunter2');
  expect(box.seal('hunter2', 'row 1')).not.toBe(sealed);
  expect(box.open(sealed, 'row 1')).toBe('hunter2');
  expect(box.open(sealed, 'row 2')).toBeUndefined();
  const bytes = Buffer.from(sealed.split('.')[2] ?? '', 'base64url');
  for (let at = 0; at < bytes.length; at++) {
    const changed = Buffer.from(bytes);
    changed[at] = (changed[at] ?? 0) ^ 1;
    const text = [...sealed.split('.').slice(0, 2), changed.toString('base64url')].join('.');
    expect(box.open(text, 'row 1')).toBeUndefined();
  }
  for (const broken of ['', 's1', 's1.x', 's1.x.y', 's2.a.b', sealed.slice(0, -4)])
    expect(box.open(broken, 'row 1')).toBeUndefined();
});

it('older keys open, the first seals', () => {
  const [old, young] = [randomBytes(32).toString('base64'), randomBytes(32).toString('base64')];
  const sealed = createSecretBox(createFixedKeyring([old])).seal('a', 'p');
  const box = createSecretBox(createFixedKeyring([young, old]));
  expect(box.open(sealed, 'p')).toBe('a');
  expect([box.isCurrent(sealed), box.isCurrent(box.seal('a', 'p'))]).toEqual([false, true]);
  expect(createSecretBox(createFixedKeyring([young])).open(sealed, 'p')).toBeUndefined();
});

it('processes that start together agree on one key file, and a broken file loses secrets, not the server', () => {
  const file = join(temporaryDir(), 'secrets.key');
  const [one, other] = [createFileKeyring(file), createFileKeyring(file)];
  expect(one.current().id).toBe(other.current().id);
  const sealed = createSecretBox(one).seal('a', 'p');
  expect(createSecretBox(other).open(sealed, 'p')).toBe('a');
  expect(readFileSync(file, 'utf8')).not.toContain(sealed);
  writeFileSync(file, 'not a key\n');
  expect(createSecretBox(other).open(sealed, 'p')).toBeUndefined();
  expect(() => createSecretBox(other).seal('a', 'p')).toThrow('32 bytes as base64');
});
