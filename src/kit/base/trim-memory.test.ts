import { expect, it } from 'vitest';
import { createMemoryTrimmer } from './trim-memory.ts';

const MIB = 1024 * 1024;

it('loads and trims nothing as long as the process does not grow, then each time it has grown again', () => {
  const did: string[] = [];
  let rssMib = 150;
  const allocator = {
    setOption: (option: number, value: number) => did.push(`option ${option} ${value / 1024} KiB`),
    trim: () => {
      rssMib -= 20;
      return did.push('trim');
    },
  };
  const trim = createMemoryTrimmer(
    () => {
      did.push('load');
      return allocator;
    },
    () => rssMib * MIB,
  );
  for (const at of [150, 170, 181]) {
    rssMib = at;
    trim();
  }
  expect(did).toEqual([]);
  rssMib = 182;
  trim();
  expect(did).toEqual(['load', 'option -3 256 KiB', 'trim']);
  // 162 were left; then it shrinks by itself.
  for (const at of [190, 120, 151]) {
    rssMib = at;
    trim();
  }
  expect(did).toHaveLength(3);
  rssMib = 152;
  trim();
  expect(did).toEqual(['load', 'option -3 256 KiB', 'trim', 'trim']);
});

it('is quiet where the allocator cannot be reached, and asks for it once', () => {
  let asked = 0;
  let rssMib = 100;
  const trim = createMemoryTrimmer(
    () => {
      asked++;
      return undefined;
    },
    () => rssMib * MIB,
  );
  for (; rssMib < 600; rssMib += 100) trim();
  expect(asked).toBe(1);
});

it('trims this process, or does nothing on other systems', () => {
  let rss = 0;
  const trim = createMemoryTrimmer(undefined, () => {
    rss += 65 * MIB;
    return rss;
  });
  expect(() => trim()).not.toThrow();
});
