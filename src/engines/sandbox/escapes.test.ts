import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { atEnd } from '../../../test/support/cleanup.ts';
import type { Sandbox } from './index.ts';
import { forever, kinds, LIMITS, openForTests } from './sandboxes-for-tests.ts';

const SECRET = 'canary-7f3a9c';

/** Python that tries each line of code for itself and prints what it got. */
function attempt(...lines: string[]): string {
  return [
    'import os, sys',
    'def attempt(code):',
    '    try: print("GOT", repr(eval(code, globals())))',
    '    except BaseException as error: print("REFUSED", type(error).__name__)',
    ...lines.map((line) => `attempt(${JSON.stringify(line)})`),
  ].join('\n');
}

describe.each(kinds)('escapes from %s', (kind) => {
  let sandbox: Sandbox;
  beforeAll(() => {
    sandbox = openForTests(kind);
    atEnd(() => sandbox.close());
  });
  const run = (code: string) => sandbox.run({ code }, forever);
  const refusals = async (...lines: string[]) => {
    const { stdout, state } = await run(attempt(...lines));
    expect([state, stdout]).toEqual(['finished', expect.not.stringContaining('GOT')]);
    expect(stdout.match(/^REFUSED/gm)).toHaveLength(lines.length);
  };

  it('host files: nothing of the machine can be read or written', async () => {
    const host = join(tmpdir(), `tramontane-host-${process.pid}-${kind}`);
    writeFileSync(host, SECRET);
    atEnd(() => rmSync(host, { force: true }));
    await refusals(
      ...[host, '/etc/passwd', '/etc/shadow', '/root', '/home', '/proc/self/environ', '/proc/1/mem', process.cwd()].map(
        (path) => `open(${JSON.stringify(path)}).read()`,
      ),
      `open('../../../../../../etc/passwd').read()`,
      `open(${JSON.stringify(host)}, 'r+')`,
      `open('/etc/passwd', 'a')`,
      `os.listdir(${JSON.stringify(process.cwd())})`,
    );
    expect(readFileSync(host, 'utf8')).toBe(SECRET);
  });

  it('environment: nothing of ours is there', async () => {
    process.env.SANDBOX_CANARY = SECRET;
    const { stdout } = await run('import os\nprint(dict(os.environ))\nprint(os.environ.get("SANDBOX_CANARY"))');
    delete process.env.SANDBOX_CANARY;
    expect(stdout).not.toContain(SECRET);
    expect(stdout).not.toMatch(/NODE|VITEST|TRAMONTANE/);
  });

  it('sockets: no address is reached, not even this machine', async () => {
    let connections = 0;
    const server = createServer(() => (connections += 1)).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as { port: number };
    await refusals(
      `__import__('socket').create_connection(('127.0.0.1', ${port}), 2)`,
      `__import__('socket').create_connection(('1.1.1.1', 80), 2)`,
      `__import__('urllib.request').request.urlopen('http://127.0.0.1:${port}', timeout=2)`,
      `__import__('socket').getaddrinfo('example.com', 80)`,
    );
    expect(connections).toBe(0);
    server.close();
  });

  it('fork and subprocess: no other process is started', async () => {
    await refusals(
      'os.fork()',
      `os.system('true') and 1/0 or 1/0`,
      `__import__('subprocess').run(['/bin/ls'])`,
      `os.execv('/bin/ls', ['ls'])`,
      `os.posix_spawn('/bin/ls', ['ls'], {})`,
      `__import__('multiprocessing').Process(target=print).start()`,
    );
  });

  it('native code: no library call gets past the limits', async () => {
    await refusals(
      `__import__('ctypes').CDLL(None).fork() < 0 and 1/0`,
      `__import__('ctypes').CDLL(None).memfd_create(b'x', 0) < 0 and 1/0`,
      `__import__('ctypes').CDLL(None).shmget(0, 4096, 0o1666) < 0 and 1/0`,
      `__import__('ctypes').CDLL(None).ptrace(16, 1, 0, 0) < 0 and 1/0`,
    );
  });

  it('memory bomb: it meets a MemoryError within its limit', async () => {
    for (const code of ['x = []\nwhile True: x.append(bytearray(5_000_000))', 'x = b"a"\nwhile True: x += x']) {
      const { state, stderr } = await run(code);
      expect([state, stderr]).toEqual(['failed', expect.stringMatching(/MemoryError\n$/)]);
    }
  });

  it('output flood: the beginning is kept and the rest is dropped', async () => {
    const { state, stdout, stderr, isOutputCut } = await run(
      'import sys\nfor _ in range(20_000): print("é" * 50)\nsys.stderr.write("e" * 1_000_000)',
    );
    expect([state, isOutputCut]).toEqual(['finished', true]);
    expect(Buffer.byteLength(stdout)).toBeLessThanOrEqual(LIMITS.outputBytes + 3);
    expect(stdout.startsWith(`${'é'.repeat(50)}\n`)).toBe(true);
    expect(stderr).toHaveLength(LIMITS.outputBytes);
  });

  it('files flood: neither many files nor large ones go beyond the limits', async () => {
    const many = await run('for i in range(10**7): open(f"f{i}", "w").close()');
    expect(many.state).toBe('failed');
    expect(many.files).toHaveLength(LIMITS.filesMax);
    expect(many.filesLeftOut).toBeGreaterThan(1000);
    for (const code of [
      'f = open("big", "wb")\nwhile True: f.write(b"x" * 100_000)',
      'for i in range(10**6):\n  with open(f"f{i}", "wb") as f: f.write(b"x" * 100_000)',
      'open("hole", "wb").truncate(10**12)',
      'f = open("hole", "wb"); f.seek(10**12); f.write(b"x"); f.flush()',
    ]) {
      const { state, stderr, files } = await run(code);
      expect([state, stderr]).toEqual(['failed', expect.stringMatching(/OSError: \[Errno (22|27|28|51)\]/)]);
      const bytes = files.reduce((sum, { content }) => sum + content.byteLength, 0);
      expect(bytes).toBeLessThanOrEqual(LIMITS.fileBytes);
    }
    const { files } = await run(
      'import os\nfor d in ("/tmp", "/dev/shm", "/"):\n  try: open(d + "/x", "w").write("x" * 10)\n  except OSError: pass',
    );
    expect(files).toEqual([]);
  });

  it('path escape: a name that leaves the directory is neither taken nor given', async () => {
    const names = [
      '../x',
      '/etc/x',
      'a/../../x',
      '.',
      '',
      'a//b',
      'a\\b',
      'a\0b',
      'a\nb',
      'x'.repeat(300),
      'a/'.repeat(20),
    ];
    for (const name of names) {
      await expect(sandbox.run({ code: '1', files: [{ name, content: Buffer.from('x') }] }, forever)).rejects.toThrow(
        'cannot have a file named',
      );
    }
    const { files } = await run(
      'for name in ("../x", "/x", "/work/../y", "a\\nb", "good.txt", "../work/also.txt"):\n  try: open(name, "w").write("x")\n  except OSError: pass',
    );
    expect(files.map(({ name }) => name)).toEqual(['also.txt', 'good.txt']);
    expect(existsSync('/x')).toBe(false);
  });

  it('symlinks: a link brings nothing out', async () => {
    const { files, stdout } = await run(
      'import os\nfor target in ("/etc/passwd", "/", "/usr/lib"):\n  try: os.symlink(target, "link" + str(len(target)))\n  except OSError as e: print("no links")\ntry: os.mkfifo("pipe")\nexcept (OSError, AttributeError): pass\nopen("real.txt", "w").write("x")',
    );
    expect(files.map(({ name }) => name)).toEqual(['real.txt']);
    expect(stdout).toMatch(/^(no links\n){0,3}1\n$/);
  });

  it('one run to the next: nothing of a run is left for another, not even in the library', async () => {
    const poison = [
      'import os',
      'for path in ("/usr/local/lib/python3.11/os.py", "/usr/lib/python3.11/os.py", "/sandbox/run.py"):',
      '  try:',
      '    with open(path, "r+b") as f: f.write(b"raise Exception(1)")',
      '  except OSError: pass',
      'open("left.txt", "w").write("x"); open("/tmp/left.txt", "w").write("x"); import builtins; builtins.left = 1',
    ].join('\n');
    for (let i = 0; i < 3; i++) await run(poison);
    const { state, stdout } = await run(
      'import os, builtins\nprint(os.listdir("."), os.listdir("/tmp"), hasattr(builtins, "left"))',
    );
    expect([state, stdout]).toEqual(['finished', '[] [] False\n']);
  });
});

describe.each(kinds)('an endless loop in %s', (kind) => {
  it('is killed at its time, and so is one that sleeps or catches everything', async () => {
    const sandbox = openForTests(kind, { timeMs: 700 }, 3);
    atEnd(() => sandbox.close());
    const programs = [
      'while True: pass',
      'import time\ntime.sleep(10**6)',
      'while True:\n  try:\n    while True: pass\n  except BaseException: pass',
      '10 ** 10 ** 10',
    ];
    const results = await Promise.all(programs.map((code) => sandbox.run({ code }, forever)));
    expect(results.map(({ state }) => state)).toEqual(programs.map(() => 'timeout'));
    expect((await sandbox.run({ code: '6 * 7' }, forever)).state).toMatch(/finished|timeout/);
  });
});
