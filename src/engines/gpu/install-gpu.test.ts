import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { temporaryDir } from '../../../test/support/databases.ts';
import { type InstallOptions, installGpu } from './install-gpu.ts';
import { listInstalledGpus, removeGpu } from './installed.ts';
import { RUNTIME_VERSION } from './packages.ts';
import { type FakePackage, packageOf, packed, sendWhole, startRegistry, tableOf } from './registry-for-tests.ts';

const never = new AbortController().signal;

async function registryOf(packages: FakePackage[], sends?: Parameters<typeof startRegistry>[1]) {
  const registry = await startRegistry(packages, sends);
  onTestFinished(registry.close);
  return registry;
}

function optionsFor(registry: string, packages: FakePackage[], changes: Partial<InstallOptions> = {}): InstallOptions {
  return {
    gpuDir: join(temporaryDir(), 'gpu'),
    kind: 'cuda',
    environment: { npm_config_registry: registry },
    cwd: temporaryDir(),
    signal: never,
    platform: 'linux-x64',
    table: tableOf(...packages),
    limits: { pauseMs: 1 },
    ...changes,
  };
}

const filesBelow = (dir: string) => (existsSync(dir) ? readdirSync(dir, { recursive: true }).map(String).sort() : []);

describe('an installation', () => {
  it('has every package of its kind whole in the data dir, and nothing beside', async () => {
    const packages = [packageOf('linux-x64-cuda', 2_000_000), packageOf('linux-x64-cuda-ext')];
    const { url, requests } = await registryOf(packages);
    const phases = new Set<string>();
    const options = optionsFor(url, packages, { onProgress: ({ phase }) => phases.add(phase) });
    expect(await installGpu(options)).toMatchObject({ kind: 'cuda', version: RUNTIME_VERSION, wasThere: false });
    const { gpuDir } = options;
    expect(readdirSync(gpuDir)).toEqual([RUNTIME_VERSION]);
    expect(readdirSync(join(gpuDir, RUNTIME_VERSION, 'cuda'))).toEqual(packages.map(({ name }) => name));
    const library = join(gpuDir, RUNTIME_VERSION, 'cuda/linux-x64-cuda/bins/linux-x64-cuda/llama-addon.node');
    expect(readFileSync(library)).toHaveLength(2_000_000);
    expect([...phases]).toEqual(['transferring', 'checking']);
    expect(await listInstalledGpus(gpuDir)).toMatchObject([{ kind: 'cuda', isCurrent: true }]);

    const asked = requests.length;
    expect(await installGpu(options)).toMatchObject({ wasThere: true });
    expect(requests).toHaveLength(asked);
    expect(await removeGpu(gpuDir, undefined, { signal: never })).toBeGreaterThan(2_000_000);
    expect(existsSync(gpuDir)).toBe(false);
    expect(await removeGpu(gpuDir, undefined, { signal: never })).toBeUndefined();
  });

  it('of two processes at a time happens once', async () => {
    const packages = [packageOf('linux-x64-cuda', 500_000)];
    const { url, requests } = await registryOf(packages);
    const options = optionsFor(url, packages);
    const both = await Promise.all([installGpu(options), installGpu(options)]);
    expect(both.map(({ wasThere }) => wasThere).sort()).toEqual([false, true]);
    expect(requests.filter(({ path }) => path.endsWith('.tgz'))).toHaveLength(1);
  });

  it('replaces an outdated one, and what a killed process left', async () => {
    const packages = [packageOf('linux-x64-cuda')];
    const { url } = await registryOf(packages);
    const options = optionsFor(url, packages);
    for (const leftover of ['1.0.0/cuda/linux-x64-cuda', 'unpacking-0f/linux-x64-cuda'])
      mkdirSync(join(options.gpuDir, leftover), { recursive: true });
    expect(await listInstalledGpus(options.gpuDir)).toMatchObject([{ version: '1.0.0', isCurrent: false }]);
    await installGpu(options);
    expect(readdirSync(options.gpuDir)).toEqual([RUNTIME_VERSION]);
  });

  it('goes on where a cut transfer ended, also in a later process', async () => {
    const packages = [packageOf('linux-x64-cuda', 3_000_000)];
    let isCut = true;
    const { url, requests } = await registryOf(packages, (request, response, found) => {
      if (!isCut) return sendWhole(request, response, found);
      response.writeHead(200, { 'content-length': found.tgz.length, etag: '"one"' });
      response.write(found.tgz.subarray(0, 1_000_000), () => response.destroy());
    });
    const options = optionsFor(url, packages);
    await expect(installGpu(options)).rejects.toThrow("npm's registry: the connection was cut. Nothing was changed");
    expect(readdirSync(options.gpuDir)).toEqual(['downloads']);
    isCut = false;
    await installGpu(options);
    expect(requests.at(-1)?.range).toMatch(/^bytes=[1-9]\d*-$/);
    expect(await listInstalledGpus(options.gpuDir)).toHaveLength(1);
  });
});

describe('nothing is installed', () => {
  async function expectRefusal(options: InstallOptions, message: string | RegExp) {
    await expect(installGpu(options)).rejects.toThrow(message);
    expect(await listInstalledGpus(options.gpuDir)).toEqual([]);
    expect(filesBelow(options.gpuDir).filter((path) => !path.startsWith('downloads'))).toEqual([]);
  }

  it('from bytes that are not the pinned ones, and they are removed', async () => {
    const good = packageOf('linux-x64-cuda');
    const other = { ...good, tgz: Buffer.from(good.tgz) };
    other.tgz.writeUInt8(other.tgz.readUInt8(500) ^ 1, 500);
    const options = optionsFor((await registryOf([other])).url, [good]);
    await expectRefusal(options, 'is not the pinned package, and was removed');
    expect(filesBelow(join(options.gpuDir, 'downloads'))).toEqual([]);
  });

  it('from a registry that states another digest', async () => {
    const good = packageOf('linux-x64-cuda');
    const stated = { ...good, pin: { ...good.pin, integrity: 'sha512-x' } };
    await expectRefusal(optionsFor((await registryOf([stated])).url, [good]), 'than the one that is pinned');
  });

  it.each([
    ['leaves its directory', 'package/../../../evil.js'],
    ['has an absolute path', '/etc/evil'],
    ['has a backslash', 'package/bins\\..\\evil'],
    ['lies outside of package/', 'other/evil'],
  ])('from a package in which a file %s', async (_, path) => {
    const evil = packed('linux-x64-cuda', [{ path, content: Buffer.from('x') }]);
    await expectRefusal(optionsFor((await registryOf([evil])).url, [evil]), /refused, because it holds/);
  });

  it('from a package that is larger than its pin says, or has a file twice', async () => {
    const file = { path: 'package/package.json', content: Buffer.alloc(5000) };
    const large = packed('linux-x64-cuda', [file]);
    large.pin.unpackedBytes = 4999;
    await expectRefusal(optionsFor((await registryOf([large])).url, [large]), 'larger than it should be');
    const twice = packed('linux-x64-cuda', [file, file]);
    await expectRefusal(optionsFor((await registryOf([twice])).url, [twice]), 'EEXIST');
  });

  it('from a package of another name', async () => {
    const other = { ...packageOf('linux-x64-vulkan'), name: 'linux-x64-cuda' };
    other.pin.name = 'linux-x64-cuda';
    await expectRefusal(optionsFor((await registryOf([other])).url, [other]), 'the package is not @node-llama-cpp');
  });

  it('without room, without a registry, or where the registry has no such package', async () => {
    const wanted = packageOf('linux-x64-cuda');
    const { url } = await registryOf([]);
    const full = optionsFor(url, [wanted], { freeBytes: async () => 10 });
    await expectRefusal(full, /it takes 1 MB in .*, where 1 MB are free. Make room/);
    await expectRefusal(optionsFor('http://127.0.0.1:1', [wanted]), "npm's registry: it cannot be reached");
    await expectRefusal(optionsFor(url, [wanted]), 'it does not have this file (404)');
  });

  it('below a file, or on a platform without packages', async () => {
    const file = join(temporaryDir(), 'file');
    writeFileSync(file, '');
    await expect(installGpu(optionsFor('', [], { gpuDir: join(file, 'gpu') }))).rejects.toThrow('ENOTDIR');
    const elsewhere = optionsFor('', [packageOf('linux-x64-cuda')], { platform: 'linux-arm64' });
    await expectRefusal(elsewhere, 'There is no cuda package of llama.cpp for linux-arm64');
  });
});

describe('the credentials of a registry', () => {
  it('are sent to it, and not to another server that has the file', async () => {
    const packages = [packageOf('linux-x64-cuda')];
    const files = await registryOf(packages);
    const { url, requests } = await registryOf(packages, (_, response) => {
      response.writeHead(302, { location: `${files.url}/files/linux-x64-cuda.tgz` }).end();
    });
    const environment = { npm_config_registry: url, [`npm_config_${url.slice(5)}/:_authToken`]: 'secret' };
    await installGpu(optionsFor(url, packages, { environment }));
    expect(requests.map(({ authorization }) => authorization)).toEqual(['Bearer secret', 'Bearer secret']);
    expect(files.requests.map(({ authorization }) => authorization)).toEqual([undefined]);
  });
});
