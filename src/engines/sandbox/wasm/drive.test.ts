import { expect, it } from 'vitest';
import { Drive } from './drive.ts';
import { limitMemory } from './limit-memory.ts';

const ROOT = 3;
const [CREATE, EXCLUSIVE, TRUNCATE, APPEND] = [1, 4, 8, 1];
const bytesOf = (text: string) => Buffer.from(text);

function opened(drive: Drive, path: string, how = CREATE, flags = 0): number {
  const [error, fd] = drive.open(ROOT, path, how, flags);
  if (error !== 0 || fd === undefined) throw new Error(`open answered ${error}`);
  return fd;
}
const contentOf = (drive: Drive, path: string) => {
  const [, data] = drive.read(opened(drive, path), 1000);
  return Buffer.from(data ?? []).toString();
};

it('a file is what was written to it, wherever and in whatever order', () => {
  const drive = new Drive({ bytes: 10_000 });
  const fd = opened(drive, 'a');
  expect(drive.write(fd, bytesOf('hello'))).toBe(0);
  expect(drive.pwrite(fd, bytesOf('J'), 0)).toBe(0);
  expect(drive.pwrite(fd, bytesOf('!'), 7)).toBe(0);
  expect(contentOf(drive, 'a')).toBe('Jello\0\0!');
  expect(drive.seek(fd, -1n, 2)).toEqual([0, 7n]);
  expect(drive.tell(fd)).toEqual([0, 7n]);
  expect(drive.seek(fd, -9n, 0)).toEqual([28]);
  const appending = opened(drive, 'a', CREATE, APPEND);
  drive.write(appending, bytesOf('+'));
  expect(contentOf(drive, 'a')).toBe('Jello\0\0!+');
});

it('what was cut off does not come back when the file grows again', () => {
  const drive = new Drive({ bytes: 10_000 });
  const fd = opened(drive, 'a');
  drive.write(fd, bytesOf('secret'));
  drive.setSize(fd, 1n);
  drive.setSize(fd, 6n);
  expect(contentOf(drive, 'a')).toBe('s\0\0\0\0\0');
  opened(drive, 'a', TRUNCATE);
  expect(contentOf(drive, 'a')).toBe('');
});

it('no path leads above the root', () => {
  const drive = new Drive({ bytes: 10_000 });
  opened(drive, '../../../x');
  expect([...drive.filesBelow('')].map(({ name }) => name)).toEqual(['x']);
  expect(drive.pathStat(ROOT, '/..//./x')[0]).toBe(0);
  expect(drive.pathStat(ROOT, 'y')).toEqual([44]);
  expect(drive.open(ROOT, 'x'.repeat(2000), CREATE, 0)).toEqual([37]);
});

it('directories are made, listed, moved and removed like elsewhere', () => {
  const drive = new Drive({ bytes: 10_000 });
  expect(drive.pathCreateDir(ROOT, 'd')).toBe(0);
  expect(drive.pathCreateDir(ROOT, 'd')).toBe(20);
  expect(drive.pathCreateDir(ROOT, 'missing/e')).toBe(44);
  opened(drive, 'd/f');
  opened(drive, 'dd');
  expect(drive.open(ROOT, 'd/f', CREATE | EXCLUSIVE, 0)).toEqual([20]);
  expect(drive.unlink(ROOT, 'd')).toBe(31);
  expect(drive.removeDirectory(ROOT, 'd')).toBe(55);
  expect(drive.rename(ROOT, 'd', ROOT, 'd/inside')).toBe(28);
  expect(drive.rename(ROOT, 'd', ROOT, 'moved')).toBe(0);
  const [, entries] = drive.list(ROOT);
  expect(entries?.map(({ name, type }) => `${name} ${type}`)).toEqual(['dd 4', 'moved 3']);
  expect(drive.unlink(ROOT, 'moved/f')).toBe(0);
  expect(drive.removeDirectory(ROOT, 'moved')).toBe(0);
  expect(drive.rename(ROOT, 'dd', ROOT, 'e')).toBe(0);
});

it('all files together keep to the budget, and a removed one gives back its share', () => {
  const drive = new Drive({ bytes: 5000 });
  const fill = (path: string, bytes: number) => {
    const fd = opened(drive, path);
    const answer = drive.write(fd, new Uint8Array(bytes));
    drive.close(fd);
    return answer;
  };
  expect(fill('a', 3000)).toBe(0);
  expect(fill('b', 3000)).toBe(51);
  expect(drive.setSize(opened(drive, 'c'), 10n ** 15n)).toBe(51);
  for (let i = 0; i < 50; i++) {
    expect(drive.unlink(ROOT, 'a')).toBe(0);
    expect(fill('a', 4000)).toBe(0);
  }
});

it('open files and entries are bounded', () => {
  const drive = new Drive({ bytes: 5000 });
  let fd = opened(drive, 'a');
  const answers = Array.from({ length: 300 }, () => drive.open(ROOT, 'a', 0, 0)[0]);
  expect(answers.at(-1)).toBe(33);
  for (; drive.exists(fd); fd++) drive.close(fd);
  const made = Array.from({ length: 3000 }, (_, i) => drive.pathCreateDir(ROOT, `d${i}`));
  expect(made.at(-1)).toBe(51);
});

it('a ceiling for memory replaces the one that a program has, or has not', async () => {
  // The smallest module with a memory: one page to begin with, exported as m, without or with a ceiling.
  const head = [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0];
  const tail = [7, 5, 1, 1, 0x6d, 2, 0];
  for (const memory of [
    [5, 3, 1, 0, 1],
    [5, 5, 1, 1, 1, 0x80, 2],
  ]) {
    const limited = limitMemory(Uint8Array.from([...head, ...memory, ...tail]), 3 * 65_536);
    const instance = await WebAssembly.instantiate(await WebAssembly.compile(limited), {});
    const { m } = instance.exports as { m: { grow(pages: number): number; buffer: ArrayBuffer } };
    expect(m.grow(2)).toBe(1);
    expect(() => m.grow(1)).toThrow(RangeError);
  }
  expect(() => limitMemory(Uint8Array.from(head), 65_536)).toThrow('no memory');
});
