import { readdirSync, readFileSync } from 'node:fs';
import pino from 'pino';
import { beforeAll, describe, expect, it } from 'vitest';
import { atEnd } from '../../../test/support/cleanup.ts';
import { temporaryDir } from '../../../test/support/databases.ts';
import { inFull } from '../../../test/support/in-full.ts';
import { createBubblewrapSandbox, createWasmSandbox, type Sandbox } from './index.ts';
import { bubblewrap, forever, kinds, LIMITS, openForTests } from './sandboxes-for-tests.ts';

const bytesOf = (text: string) => Buffer.from(text);
const textOf = (content: Uint8Array) => Buffer.from(content).toString();

describe.each(kinds)('%s', (kind) => {
  let sandbox: Sandbox;
  beforeAll(() => {
    sandbox = openForTests(kind);
    atEnd(() => sandbox.close());
  });
  const run = (code: string, files: { name: string; content: Uint8Array }[] = []) =>
    sandbox.run({ code, files }, forever);

  it('runs a program and tells what it wrote', async () => {
    expect(await run('import sys\nprint("out ü")\nprint("err", file=sys.stderr)')).toEqual({
      state: 'finished',
      exitCode: 0,
      stdout: 'out ü\n',
      stderr: 'err\n',
      isOutputCut: false,
      files: [],
      filesLeftOut: 0,
    });
  });

  it('shows the last expression, unless it is None', async () => {
    expect((await run('x = 20\nx + 1\nx * 2 + 2')).stdout).toBe('42\n');
    expect((await run('print("once")')).stdout).toBe('once\n');
  });

  it('shows an error as Python does, of the program alone', async () => {
    expect(await run('def f():\n    return 1 / 0\n\nf()')).toMatchObject({
      state: 'failed',
      exitCode: 1,
      stderr: expect.stringMatching(
        /^Traceback \(most recent call last\):\n {2}File "main\.py", line 4, in <module>\n[\s\S]*line 2, in f\n {4}return 1 \/ 0\n[\s\S]*ZeroDivisionError: division by zero\n$/,
      ),
    });
    expect((await run('x = (')).stderr).toMatch(/^ {2}File "main\.py", line 1\n[\s\S]*SyntaxError/);
  });

  it('gives the exit code of the program', async () => {
    expect(await run('import sys; sys.exit(3)')).toMatchObject({ state: 'failed', exitCode: 3 });
    expect(await run('exit(4)')).toMatchObject({ state: 'failed', exitCode: 4 });
    expect(await run('raise SystemExit')).toMatchObject({ state: 'finished', exitCode: 0 });
    expect(await run('raise SystemExit("so long")')).toMatchObject({
      state: 'failed',
      exitCode: 1,
      stderr: 'so long\n',
    });
  });

  it('takes files and gives back those that are new or changed', async () => {
    const given = [
      { name: 'data.csv', content: bytesOf('a,b\n1,2\n') },
      { name: 'deep/down/same.txt', content: bytesOf('same') },
      { name: 'log.txt', content: bytesOf('one\n') },
    ];
    const { files, stdout, state } = await run(
      [
        'import csv, os, shutil',
        'print(list(csv.DictReader(open("data.csv"))), open("deep/down/same.txt").read())',
        'with open("log.txt", "a") as f: f.write("two\\n")',
        'os.makedirs("new/dir"); shutil.copy("log.txt", "new/dir/copy.txt")',
        'with open("raw.bin", "wb") as f: f.write(bytes(range(256)))',
        'os.replace("raw.bin", "moved.bin")',
        'open("gone.txt", "w").write("x"); os.remove("gone.txt")',
        'os.mkdir("empty"); os.rmdir("empty")',
        'open("deep/down/same.txt", "w").write("same")',
      ].join('\n'),
      given,
    );
    expect([state, stdout]).toEqual(['finished', "[{'a': '1', 'b': '2'}] same\n4\n"]);
    expect(files.map(({ name }) => name)).toEqual(['log.txt', 'moved.bin', 'new/dir/copy.txt']);
    expect(textOf(files[0]!.content)).toBe('one\ntwo\n');
    expect([...files[1]!.content]).toEqual(Array.from({ length: 256 }, (_, byte) => byte));
  });

  it('has the standard library, a clock that goes and a sleep that ends', async () => {
    const { stdout } = await run(
      'import json, math, re, statistics, datetime, random, decimal, hashlib, time\nt = time.monotonic()\ntime.sleep(0.05)\nprint(time.monotonic() - t, json.dumps(statistics.mean([1, 2])), hashlib.sha256(b"").hexdigest()[:6])',
    );
    const [slept, ...rest] = stdout.trimEnd().split(' ');
    expect(rest).toEqual(['1.5', 'e3b0c4']);
    expect(Number(slept)).toBeGreaterThanOrEqual(0.049);
    // Seconds, not milliseconds; a busy machine may sleep long.
    expect(Number(slept)).toBeLessThan(40);
  });

  it('refuses more files, and larger ones, than it may hold', async () => {
    const content = bytesOf('x');
    await expect(run('1', [{ name: 'big', content: new Uint8Array(LIMITS.fileBytes + 1) }])).rejects.toThrow(
      'larger than',
    );
    await expect(
      run(
        '1',
        Array.from({ length: 300 }, (_, i) => ({ name: `f${i}`, content })),
      ),
    ).rejects.toThrow('256 files');
    await expect(
      run('1', [
        { name: 'a', content },
        { name: 'a', content },
      ]),
    ).rejects.toThrow('same name');
    await expect(
      run('1', [
        { name: 'a', content },
        { name: 'a/b', content },
      ]),
    ).rejects.toThrow('cannot have a file named "a"');
    const whole = await run('import os\nsum(os.path.getsize(name) for name in os.listdir())', [
      { name: 'tiny', content },
      { name: 'rest', content: new Uint8Array(LIMITS.fileBytes - 8192) },
    ]);
    expect(whole.stdout).toBe(`${LIMITS.fileBytes - 8191}\n`);
    await expect(run('#'.repeat(1024 * 1024 + 1))).rejects.toThrow('longer than');
  });

  it('is left when its caller leaves, and goes on for others', async () => {
    const leaving = new AbortController();
    const left = sandbox.run({ code: 'while True: pass' }, leaving.signal);
    const other = run('sum(range(1000))');
    setImmediate(() => leaving.abort(new Error('the client left')));
    await expect(left).rejects.toThrow('the client left');
    expect((await other).stdout).toBe('499500\n');
    await expect(sandbox.run({ code: '1' }, AbortSignal.abort(new Error('never')))).rejects.toThrow('never');
  });

  inFull.it('keeps the memory of the server flat while programs take all they can', async () => {
    const before = process.memoryUsage().rss;
    const bomb = 'x = []\nwhile True: x.append(bytearray(5_000_000))';
    const flood = 'f = open("f", "wb")\nprint("y" * 10**7)\nwhile True: f.write(b"x" * 100_000)';
    const [answer, ...bombs] = await Promise.all([
      run('6 * 7'),
      ...[bomb, flood, bomb, flood].map((code) => run(code)),
    ]);
    expect(answer?.stdout).toBe('42\n');
    expect(bombs.map(({ state }) => state)).toEqual(['failed', 'failed', 'failed', 'failed']);
    expect(process.memoryUsage().rss - before).toBeLessThan(100 * 1024 * 1024);
  });
});

describe('wasm', () => {
  const options = { limits: LIMITS, concurrency: 1, log: pino({ level: 'silent' }) };

  it('keeps a process for the next run, and ends it when it is idle', async () => {
    const children = childrenFromNow();
    const sandbox = createWasmSandbox({ ...options, idleMs: 500 });
    atEnd(() => sandbox.close());
    await sandbox.run({ code: '1' }, forever);
    const [first] = children();
    await sandbox.run({ code: '2' }, forever);
    expect(children()).toEqual([first]);
    await expect.poll(children, { timeout: 20_000 }).toEqual([]);
    expect((await sandbox.run({ code: '3' }, forever)).stdout).toBe('3\n');
  });

  it('replaces a process whose memory grew, and one that was killed from outside', async () => {
    const children = childrenFromNow();
    const sandbox = createWasmSandbox(options);
    await sandbox.run({ code: '1' }, forever);
    const [first] = children();
    await sandbox.run({ code: 'x = bytearray(80_000_000)' }, forever);
    await expect.poll(children).toEqual([]);
    expect((await sandbox.run({ code: '2' }, forever)).stdout).toBe('2\n');
    const [second] = children();
    expect(second).not.toBe(first);
    const running = sandbox.run({ code: 'while True: pass' }, forever);
    setTimeout(() => process.kill(second ?? 0, 'SIGKILL'), 100);
    expect(await running).toMatchObject({ state: 'crashed', exitCode: null });
    expect((await sandbox.run({ code: '3' }, forever)).stdout).toBe('3\n');
    await sandbox.close();
    expect(children()).toEqual([]);
    await expect(sandbox.run({ code: '4' }, forever)).rejects.toMatchObject({ status: 503 });
    expect(children()).toEqual([]);
  });

  it("a tenant's abandoned programs end at once, and while they run they hold up nobody else's", async () => {
    const children = childrenFromNow();
    const sandbox = createWasmSandbox({ ...options, concurrency: 2 });
    atEnd(() => sandbox.close());
    const [a, b] = ['a', 'b'].map((organization) => ({ organization, key: 'k' }));
    const leaving = new AbortController();
    const ended: unknown[] = [];
    const flood = Array.from({ length: 40 }, () =>
      sandbox.run({ code: 'while True: pass' }, leaving.signal, a).catch((error) => ended.push(error)),
    );
    await expect(sandbox.run({ code: '1' }, forever, a)).rejects.toMatchObject({
      status: 429,
      message: expect.stringMatching(/^Too many requests of your organization wait for the code interpreter/),
    });
    const refused = ended.length;
    expect((await sandbox.run({ code: '6 * 7' }, forever, b)).stdout).toBe('42\n');
    expect(ended).toHaveLength(refused);
    leaving.abort(new Error('left'));
    await Promise.all(flood);
    await expect.poll(children, { timeout: 20_000 }).toHaveLength(1);
    expect((await sandbox.run({ code: '2' }, forever, a)).stdout).toBe('2\n');
  });

  it('survives what breaks the interpreter itself', async () => {
    const sandbox = createWasmSandbox(options);
    atEnd(() => sandbox.close());
    const deep = 'import sys\nsys.setrecursionlimit(10**6)\nx = []\nfor _ in range(100_000): x = [x]\nrepr(x)';
    expect((await sandbox.run({ code: deep }, forever)).state).toBe('crashed');
    expect((await sandbox.run({ code: 'import os\nos.abort()' }, forever)).state).toBe('crashed');
    expect((await sandbox.run({ code: '3' }, forever)).stdout).toBe('3\n');
  });
});

it.runIf(bubblewrap)('bubblewrap leaves no process behind, at whatever moment a run is ended', async () => {
  // On the command line of each process of these runs, and of no other.
  const mark = temporaryDir();
  const sandbox = createBubblewrapSandbox({
    limits: LIMITS,
    concurrency: 4,
    bubblewrap: bubblewrap ?? '',
    python: '/usr/bin/python3',
    paths: [mark],
  });
  const endAfter = async (ms: number) => {
    const leaving = new AbortController();
    const left = sandbox.run({ code: 'while True: pass' }, leaving.signal);
    setTimeout(() => leaving.abort(new Error('left')), ms);
    await expect(left).rejects.toThrow('left');
  };
  await Promise.all([0, 2, 4, 6, 8, 10, 15, 20, 30, 40, 60, 80, 100].map(endAfter));
  expect(processesWith(mark)).toEqual([]);
});

function processesWith(mark: string): string[] {
  const commandOf = (pid: string) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
    } catch {
      return 'it has just ended';
    }
  };
  return readdirSync('/proc').filter((name) => /^\d+$/.test(name) && commandOf(name).includes(mark));
}

it('bubblewrap that is not installed says so, and what to do', async () => {
  const missing = {
    limits: LIMITS,
    concurrency: 1,
    bubblewrap: '/nowhere/bwrap',
    python: '/usr/bin/python3',
    paths: [],
  };
  const error = await createBubblewrapSandbox(missing)
    .run({ code: '1' }, forever)
    .catch((error) => error);
  expect(error).toMatchObject({ status: 503, message: expect.stringContaining('tramontane doctor') });
});

/** The processes that this one has started since, other sandboxes of the file aside. */
function childrenFromNow(): () => number[] {
  const read = () =>
    readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8').split(' ').filter(Boolean);
  const before = read();
  return () =>
    read()
      .filter((pid) => !before.includes(pid) && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('child.ts'))
      .map(Number);
}
