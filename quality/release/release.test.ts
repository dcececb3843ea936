import { execFileSync } from 'node:child_process';
import { hash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { version } from '../../src/config/version.ts';
import { testModelsDir } from '../../src/engines/weights/weights-for-tests.ts';
import { temporaryDir } from '../../test/support/databases.ts';
import { inFull } from '../../test/support/in-full.ts';
import { findPackages, removeUnreachable } from './find-packages.ts';
import { listEntries } from './list-entries.ts';
import { parseOptions, ROOT } from './options.ts';
import { findForeign, pruneFiles } from './prune-files.ts';
import { readMachine } from './read-machine.ts';
import { writeImage } from './write-image.ts';
import { writeNotices } from './write-notices.ts';
import { writeSbom } from './write-sbom.ts';
import { writeTarGz } from './write-tar.ts';

const ARCHIVE_BYTES_MAX = 600_000_000;
const has = (program: string) => (process.env.PATH ?? '').split(':').some((dir) => existsSync(join(dir, program)));
const PREBUILDS = join(ROOT, 'node_modules/better-sqlite3/prebuilds');

/** A file with its directories. */
function put(root: string, path: string, content: string | Buffer = ''): string {
  const file = join(root, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
  return file;
}
const putPackage = (root: string, dir: string, manifest: object) =>
  put(root, join(dir, 'package.json'), JSON.stringify({ version: '1.0.0', license: 'MIT', ...manifest }));

describe('npm run release', () => {
  it.each([
    ['-- --dry-run', ['--', '--dry-run', '--json']],
    ['--dry-run', ['--dry-run', '--', '--json']],
  ])('%s plans the archives of both architectures with all their engines, and writes nothing', (_how, args) => {
    const out = join(temporaryDir(), 'release');
    const said = execFileSync('npm', ['run', '--silent', 'release', ...args, '--image', '--out', out], {
      cwd: ROOT,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const plan = JSON.parse(said);
    for (const name of ['x64', 'arm64'].map((architecture) => `tramontane-${version}-linux-${architecture}`))
      for (const end of ['.tar.gz', '-weights.tar.gz', '.oci.tar', '.cdx.json', '.THIRD-PARTY-NOTICES.txt'])
        expect(plan.outputs).toContain(name + end);
    expect(plan.outputs).toContain('SHA256SUMS');
    const missing = Object.values(plan.native).flatMap((features) => Object.values(features as object));
    expect([missing.length, missing.filter((found) => found === null)]).toEqual([8, []]);
    expect(plan.weights.length).toBeGreaterThan(3);
    expect(existsSync(out)).toBe(false);
  });

  it('refuses what it does not know', () => {
    expect(() => parseOptions(['--arch', 'mips'], {})).toThrow(/x64 and arm64/);
    expect(() => parseOptions(['--nope'], {})).toThrow(/--help/);
    expect(parseOptions(['--help'], {})).toBe('help');
  });
});

describe('an archive', () => {
  it('is unpacked by tar as it was, with long names and links, and is the same bytes every time', async () => {
    const root = temporaryDir();
    const long = `${'deep/'.repeat(60)}file.txt`;
    const wide = `${'a'.repeat(120)}/b.txt`;
    for (const path of ['b/run', 'a.txt', long, wide]) put(root, path, `content of ${path}`);
    chmodSync(join(root, 'b/run'), 0o700);
    symlinkSync('../a.txt', join(root, 'b/link'));
    const files = [join(temporaryDir(), 'one.tar.gz'), join(temporaryDir(), 'two.tar.gz')];
    const first = await writeTarGz(files[0] ?? '', listEntries(root, 'top'), 1_600_000_000);
    const second = await writeTarGz(files[1] ?? '', listEntries(root, 'top').reverse(), 1_600_000_000);
    expect(second).toEqual(first);
    expect(hash('sha256', readFileSync(files[1] ?? ''))).toBe(first.sha256);
    const target = temporaryDir();
    execFileSync('tar', ['-xzf', files[0] ?? '', '-C', target]);
    for (const path of ['b/run', 'a.txt', long, wide])
      expect(readFileSync(join(target, 'top', path), 'utf8')).toBe(`content of ${path}`);
    expect(readlinkSync(join(target, 'top/b/link'))).toBe('../a.txt');
    expect(statSync(join(target, 'top/b/run')).mode & 0o777).toBe(0o755);
    expect(statSync(join(target, 'top/a.txt')).mtimeMs).toBe(1_600_000_000_000);
  });

  it('has no binary of another platform, and no package that is only for one', () => {
    const machines = readdirSync(PREBUILDS).map((name) => [
      name.replace('.node', ''),
      readMachine(join(PREBUILDS, name)),
    ]);
    expect(Object.fromEntries(machines)).toMatchObject({
      'linux-x64': 'linux-x64',
      'linux-arm64': 'linux-arm64',
      'linuxmusl-x64': 'musl',
      'darwin-arm64': 'other',
      'win32-x64': 'other',
    });
    const root = temporaryDir();
    putPackage(root, '', { name: 'program', dependencies: { native: '1', 'native-arm': '1' } });
    putPackage(root, 'node_modules/native', { name: 'native' });
    putPackage(root, 'node_modules/native-arm', { name: 'native-arm', os: ['linux'], cpu: ['arm64', 'x64'] });
    for (const name of readdirSync(PREBUILDS))
      copyFileSync(join(PREBUILDS, name), put(root, `node_modules/native/bin/${name}`));
    copyFileSync(join(PREBUILDS, 'linux-arm64.node'), put(root, 'node_modules/native-arm/addon.node'));
    for (const path of ['index.js', 'index.d.ts', 'README.md', 'LICENSE.md', 'index.js.map'])
      put(root, `node_modules/native/${path}`);
    expect(findForeign(root, 'linux-x64').length).toBeGreaterThan(4);
    const left = pruneFiles(root, findPackages(root), 'linux-x64');
    expect(left.map(({ manifest }) => manifest.name)).toEqual(['native']);
    expect(findForeign(root, 'linux-x64')).toEqual([]);
    expect(readdirSync(join(root, 'node_modules/native')).sort()).toEqual([
      'LICENSE.md',
      'bin',
      'index.js',
      'package.json',
    ]);
    expect(readdirSync(join(root, 'node_modules/native/bin'))).toEqual(['linux-x64.node']);
  });

  it('has only packages that the program can reach', () => {
    const root = temporaryDir();
    putPackage(root, '', { name: 'program', dependencies: { a: '1' }, optionalDependencies: { absent: '1' } });
    putPackage(root, 'node_modules/a', {
      name: 'a',
      dependencies: { '@s/b': '1' },
      peerDependencies: { c: '1', d: '1' },
      peerDependenciesMeta: { d: { optional: true } },
    });
    putPackage(root, 'node_modules/a/node_modules/@s/b', { name: '@s/b' });
    for (const name of ['@s/b', 'c', 'd', 'tool']) putPackage(root, `node_modules/${name}`, { name });
    put(root, 'node_modules/.package-lock.json', '{}');
    const packages = removeUnreachable(root);
    expect(packages.map(({ dir }) => dir)).toEqual([
      'node_modules/a',
      'node_modules/a/node_modules/@s/b',
      'node_modules/c',
    ]);
    expect(readdirSync(join(root, 'node_modules')).sort()).toEqual(['a', 'c']);
  });

  it('comes with a list of its parts, and with their licences', () => {
    const root = temporaryDir();
    putPackage(root, '', { name: 'program', dependencies: { zod: '1', '@s/b': '1' } });
    putPackage(root, 'node_modules/zod', { name: 'zod', dependencies: { '@s/b': '1' } });
    putPackage(root, 'node_modules/@s/b', { name: '@s/b', license: '(MIT OR Apache-2.0)' });
    put(root, 'node_modules/zod/LICENSE', 'Permission is hereby granted');
    const packages = findPackages(root);
    const purls = ['pkg:npm/fastify@5.0.0', 'pkg:npm/zod@1.0.0'];
    const inside = purls.map((purl) => ({ 'bom-ref': purl, name: 'one', version: '1', purl, scope: 'required' }));
    const given = {
      name: 'archive',
      version,
      mtime: 0,
      packages,
      inside,
      weights: ['smollm2-135m-instruct'],
    };
    const bom = JSON.parse(writeSbom(given));
    expect(writeSbom(given)).toBe(writeSbom(given));
    expect(bom).toMatchObject({
      bomFormat: 'CycloneDX',
      specVersion: '1.6',
      serialNumber: expect.stringMatching(/^urn:uuid:[\da-f-]{36}$/),
    });
    const parts = bom.components as { 'bom-ref': string; type: string; purl?: string; hashes?: object[] }[];
    expect(parts.map(({ type, purl }) => purl ?? type)).toEqual([
      'pkg:npm/%40s/b@1.0.0',
      'pkg:npm/zod@1.0.0',
      'pkg:npm/fastify@5.0.0',
      'machine-learning-model',
    ]);
    const refs = new Set(['tramontane', ...parts.map((part) => part['bom-ref'])]);
    expect(refs.size).toBe(parts.length + 1);
    for (const { ref, dependsOn } of bom.dependencies)
      for (const one of [ref, ...dependsOn]) expect(refs).toContain(one);
    expect(parts[1]?.hashes).toEqual([{ alg: 'SHA-512', content: expect.stringMatching(/^[\da-f]{128}$/) }]);
    const notices = writeNotices(packages, root, 'inside');
    expect(notices).toMatch(
      /@s\/b 1\.0\.0\nLicence: \(MIT OR Apache-2\.0\)[\s\S]+zod 1\.0\.0\nLicence: MIT[\s\S]+Permission is hereby granted/,
    );
  });
});

describe('an image', () => {
  it('is an OCI layout whose digests are right, for a user without rights', async () => {
    const [root, program, workDir, layout] = [temporaryDir(), temporaryDir(), temporaryDir(), temporaryDir()];
    put(root, 'etc/passwd', 'tramontane:x:1000:1000::/home/tramontane:/bin/sh\n');
    put(program, 'tramontane', '#!/bin/sh\n');
    chmodSync(join(program, 'tramontane'), 0o755);
    const file = join(workDir, 'image.oci.tar');
    await writeImage({ file, root, program, architecture: 'arm64', version, mtime: 0, workDir });
    execFileSync('tar', ['-xf', file, '-C', layout]);
    const read = (path: string) => JSON.parse(readFileSync(join(layout, path), 'utf8'));
    const blob = (digest: string) => join('blobs', digest.replace(':', '/'));
    const check = ({ digest, size }: { digest: string; size: number }) => {
      const bytes = readFileSync(join(layout, blob(digest)));
      expect([`sha256:${hash('sha256', bytes)}`, bytes.length]).toEqual([digest, size]);
      return blob(digest);
    };
    const manifest = read(check(read('index.json').manifests[0]));
    const config = read(check(manifest.config));
    expect(config).toMatchObject({
      architecture: 'arm64',
      os: 'linux',
      config: { User: '1000:1000', Cmd: ['tramontane', 'start'] },
    });
    expect(read('manifest.json')[0].Layers).toEqual(manifest.layers.map(check));
    const target = temporaryDir();
    for (const layer of manifest.layers)
      execFileSync('tar', ['-xzf', join(layout, blob(layer.digest)), '-C', target, '--no-same-owner']);
    expect(statSync(join(target, 'app/tramontane')).mode & 0o111).toBe(0o111);
    expect(lstatSync(join(target, 'usr/local/bin/node')).isSymbolicLink()).toBe(true);
    const listed = execFileSync('tar', ['-tvzf', join(layout, blob(manifest.layers[0].digest)), '--numeric-owner'], {
      encoding: 'utf8',
    });
    expect(listed).toMatch(/drwx------ 1000\/1000 .* srv\/tramontane\/data\//);
    expect(listed).toMatch(/drwxrwxrwt 0\/0 .* tmp\//);
  });
});

inFull.given(has('bwrap') && has('apt-get')).describe('a release', () => {
  it('starts, answers and restarts without a network: the archives in an empty root, the image in its own', {
    timeout: 3_600_000,
  }, () => {
    const out = join(temporaryDir(), 'release');
    const args = ['--arch', 'x64', '--image', '--out', out, '--models-dir', testModelsDir, '--json'];
    const said = execFileSync('npm', ['run', '--silent', 'release', '--', ...args], { cwd: ROOT, encoding: 'utf8' });
    const { written } = JSON.parse(said) as { written: { file: string; unpackedBytes?: number }[] };
    const name = `tramontane-${version}-linux-x64`;
    const archive = written.find(({ file }) => file === `${name}.tar.gz`);
    expect(archive?.unpackedBytes).toBeLessThanOrEqual(ARCHIVE_BYTES_MAX);
    execFileSync('sha256sum', ['--check', '--quiet', 'SHA256SUMS'], { cwd: out });
    for (const file of [`${name}.tar.gz`, `${name}-weights.tar.gz`, `${name}.oci.tar`]) {
      const proved = execFileSync(process.execPath, [join(ROOT, 'quality/release/prove.ts'), join(out, file)], {
        encoding: 'utf8',
      });
      expect(proved).toContain('works without a network');
      expect(proved).toContain('restarted');
    }
  });
});
