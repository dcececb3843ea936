import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';

// node quality/release/prove.ts <archive.tar.gz | image.oci.tar>: starts, calls and restarts what is in it with bubblewrap,
// in a root file system of its own, without a network, as an unprivileged user, on a root that is read-only.
const PROBE = join(import.meta.dirname, 'probe.mjs');
/** All that the archive takes from its machine: the C library, the C++ library and a shell. */
const LIBRARIES = [
  'libc.so.6',
  'libm.so.6',
  'libdl.so.2',
  'libpthread.so.0',
  'librt.so.1',
  'libstdc++.so.6',
  'libgcc_s.so.1',
  'libgomp.so.1',
];
const LIBRARY_DIRS = { x64: ['/lib/x86_64-linux-gnu', '/lib64'], arm64: ['/lib/aarch64-linux-gnu', '/lib64'] };
const LOADERS = { x64: '/lib64/ld-linux-x86-64.so.2', arm64: '/lib/ld-linux-aarch64.so.1' };
const USER = ['--uid', '1000', '--gid', '1000'];

const [given] = process.argv.slice(2);
if (given === undefined || !existsSync(given)) {
  process.stderr.write('Usage: node quality/release/prove.ts <archive.tar.gz | image.oci.tar>\n');
  process.exit(2);
}
const dir = mkdtempSync(join(tmpdir(), 'tramontane-prove-'));
try {
  const file = resolve(given);
  const data = join(dir, 'data');
  mkdirSync(data, { mode: 0o777 });
  if (file.endsWith('.oci.tar')) proveImage(file, data);
  else proveArchive(file, data);
  process.stdout.write(`${basename(file)}: works without a network, in a root of its own\n`);
} finally {
  rmSync(dir, { recursive: true, force: true });
}

function proveArchive(file: string, data: string): void {
  const root = join(dir, 'unpacked');
  mkdirSync(root);
  execFileSync('tar', ['-xzf', file, '-C', root]);
  const [name = ''] = readdirSync(root);
  const architecture = name.endsWith('arm64') ? 'arm64' : 'x64';
  const loader = LOADERS[architecture];
  const libraries = LIBRARIES.flatMap((library) => {
    const found = LIBRARY_DIRS[architecture].map((one) => join(one, library)).find((path) => existsSync(path));
    return found ? ['--ro-bind', realpathSync(found), `/lib/${library}`] : [];
  });
  run([
    ...[...libraries, '--ro-bind', realpathSync(loader), loader, '--ro-bind', realpathSync('/bin/sh'), '/bin/sh'],
    ...[
      '--ro-bind',
      join(root, name),
      '/opt/tramontane',
      '--ro-bind',
      PROBE,
      '/tmp/probe.mjs',
      '--bind',
      data,
      '/data',
    ],
    ...[
      '--setenv',
      'LD_LIBRARY_PATH',
      '/lib',
      '--setenv',
      'TRAMONTANE_DATA_DIR',
      '/data/data',
      '--setenv',
      'HOME',
      '/data',
    ],
    ...(existsSync(join(root, name, 'models')) ? ['--setenv', 'PROBE_CHAT', 'yes'] : []),
    ...['--chdir', '/data', `/opt/tramontane/node_modules/node-linux-${architecture}/bin/node`, '/tmp/probe.mjs'],
    ...['/opt/tramontane/tramontane', 'start'],
  ]);
}

type ImageConfig = {
  config: { Env: string[]; Cmd: string[]; WorkingDir: string; User: string; Volumes: Record<string, object> };
};

/** The layers one over the other, then the command of the image with its environment, on its volume. */
function proveImage(file: string, data: string): void {
  const [layout, root] = [join(dir, 'layout'), join(dir, 'root')];
  for (const one of [layout, root]) mkdirSync(one);
  execFileSync('tar', ['-xf', file, '-C', layout]);
  const read = (path: string) => JSON.parse(readFileSync(join(layout, path), 'utf8'));
  const blob = (digest: string) => `blobs/${digest.replace(':', '/')}`;
  const manifest = read(blob(read('index.json').manifests[0].digest));
  for (const { digest } of manifest.layers)
    execFileSync('tar', ['-xzf', join(layout, blob(digest)), '-C', root, '--no-same-owner']);
  const { config } = read(blob(manifest.config.digest)) as ImageConfig;
  if (!/^\d*[1-9]\d*/.test(config.User)) throw new Error(`The image runs as '${config.User}'.`);
  run([
    ...['--ro-bind', root, '/', '--ro-bind', PROBE, '/tmp/probe.mjs'],
    ...Object.keys(config.Volumes).flatMap((path) => ['--bind', data, path]),
    ...config.Env.flatMap((line) => ['--setenv', ...line.split(/=(.*)/).slice(0, 2)]),
    ...['--chdir', config.WorkingDir, 'node', '/tmp/probe.mjs', ...config.Cmd],
  ]);
}

function run(args: string[]): void {
  const isolation = ['--unshare-all', '--die-with-parent', '--new-session', '--clearenv', '--cap-drop', 'ALL', ...USER];
  execFileSync('bwrap', [...isolation, ...withMounts(args)], { stdio: 'inherit', timeout: 600_000 });
}

/** What every container has; after the root, before the rest. */
function withMounts(args: string[]): string[] {
  const mounts = ['--proc', '/proc', '--dev', '/dev', '--tmpfs', '/tmp'];
  const isWholeRoot = args[0] === '--ro-bind' && args[2] === '/';
  return isWholeRoot ? [...args.slice(0, 3), ...mounts, ...args.slice(3)] : [...mounts, ...args];
}
