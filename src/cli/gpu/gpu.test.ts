import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { hasStandIn, installStandIn, standInNeeded } from '../../../test/gpu/stand-in-gpu.ts';
import { temporaryDir } from '../../../test/support/databases.ts';
import { loadConfig } from '../../config/config.ts';
import { packageOf, startRegistry, tableOf } from '../../engines/gpu/registry-for-tests.ts';
import { RUNTIME_VERSION } from '../../engines/index.ts';
import { installGpuEngine } from '../../operator/gpu.ts';
import { run, runJson } from '../run-for-tests.ts';

const empty = () => ({ TRAMONTANE_DATA_DIR: join(temporaryDir(), 'data') });
const gpuDir = (environment: { TRAMONTANE_DATA_DIR: string }) => join(environment.TRAMONTANE_DATA_DIR, 'gpu');

/** No driver of the machine that runs the tests is looked at. */
function machineWith(...paths: string[]): string {
  const root = temporaryDir();
  for (const path of paths) {
    mkdirSync(join(root, path, '..'), { recursive: true });
    writeFileSync(join(root, path), '');
  }
  return root;
}

const hasGpu =
  ['/dev/nvidiactl', '/dev/dxg', '/dev/dri'].some((path) => existsSync(path)) || process.platform !== 'linux';

describe('gpu status', () => {
  it('shows what is there, what is installed and the device, as text and as JSON, and changes nothing', async () => {
    const environment = empty();
    const { code, data } = await runJson(['gpu'], environment);
    expect(code).toBe(0);
    expect(data).toMatchObject({ installed: [], found: expect.any(Array), hints: expect.any(Array) });
    expect(['cpu', 'cuda', 'vulkan', 'metal']).toContain(data.device.kind);
    mkdirSync(join(gpuDir(environment), '0.0.1/vulkan/linux-x64-vulkan'), { recursive: true });
    const { stdout } = await run(['gpu', 'status'], environment);
    expect(stdout).toMatch(/^found +.+\ninstalled +vulkan 0\.0\.1, 0 MB \(outdated\)\ndevice +.+/);
    expect(stdout).toContain('next       npx tramontane gpu install vulkan');
  });
});

describe.skipIf(!hasStandIn)(standInNeeded, { timeout: 180_000 }, () => {
  it('a GPU that aborts as soon as it computes is said to fail, with what models run on instead', async () => {
    const { dataDir, order, environment: drivers } = installStandIn(['vulkan']);
    const environment = { TRAMONTANE_DATA_DIR: dataDir, ...drivers };
    order('abort', 'vulkan');
    const reason = 'its process ended with SIGABRT in its trial (Vulkan error: the provided PTX was compiled';
    const { data } = await runJson(['gpu'], environment);
    const left = [{ kind: 'vulkan', reason: expect.stringContaining(reason) }];
    expect(data).toMatchObject({ device: { kind: 'cpu' }, left, installed: [{ kind: 'vulkan', is_current: true }] });
    const { code, stdout, stderr } = await run(['gpu', 'install', 'vulkan', '--force'], environment);
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/is installed already\.\nthe CPU\n/) });
    expect(stderr).toContain(`warning: Vulkan failed: ${reason}`);
    expect(stderr).toContain('warning: no GPU computes with it, so models stay on the CPU');
  });
});

describe.skipIf(hasGpu)('on a machine without a GPU', () => {
  it('gpu install says so, ends with code 1 and changes nothing', async () => {
    const environment = empty();
    for (const words of [
      ['gpu', 'install'],
      ['gpu', 'install', 'cuda'],
    ]) {
      const { code, stderr } = await run(words, environment);
      expect({ code, stderr }).toEqual({
        code: 1,
        stderr: 'No GPU was found on this machine, so nothing was installed. Use --force to install it anyway.\n',
      });
    }
    expect(existsSync(environment.TRAMONTANE_DATA_DIR)).toBe(false);
  });

  it('gpu install --force needs a kind, and takes the registry of npm', async () => {
    const environment = empty();
    expect((await run(['gpu', 'install', '--force'], environment)).stderr).toContain('Say which one');
    const registry = await startRegistry([]);
    onTestFinished(registry.close);
    const asked = { ...environment, npm_config_registry: registry.url };
    const { code, data } = await runJson(['gpu', 'install', 'vulkan', '--force'], asked);
    expect(code).toBe(1);
    expect(data.error).toMatch(/vulkan packages could not be installed: npm's registry: .*404.*Nothing was changed/);
    expect(registry.requests).toHaveLength(1);
    expect(readdirSync(gpuDir(environment))).toEqual(['downloads']);
  });
});

it('gpu install refuses what is neither cuda nor vulkan', async () => {
  const { code, stderr } = await run(['gpu', 'install', 'rocm'], empty());
  expect(code).toBe(2);
  expect(stderr).toContain("<kind> must be one of cuda, vulkan, not 'rocm'");
});

describe('with a GPU', () => {
  const loader = 'usr/lib/x86_64-linux-gnu/libvulkan.so.1';

  it('the kind that it can use is installed, opened once, and removed by gpu uninstall', async () => {
    const environment = empty();
    const wanted = packageOf('linux-x64-vulkan');
    const registry = await startRegistry([wanted]);
    onTestFinished(registry.close);
    const installed = await installGpuEngine(loadConfig(environment), {
      kind: undefined,
      isForced: false,
      environment: { ...environment, npm_config_registry: registry.url },
      cwd: temporaryDir(),
      signal: new AbortController().signal,
      table: tableOf(wanted),
      platform: 'linux-x64',
      root: machineWith('dev/nvidiactl', loader),
    });
    expect(installed).toMatchObject({ kind: 'vulkan', version: RUNTIME_VERSION, was_installed: false });
    expect(readdirSync(gpuDir(environment))).toEqual([RUNTIME_VERSION]);
    const removed = await runJson(['gpu', 'uninstall', 'vulkan'], environment);
    expect(removed).toEqual({ code: 0, data: { freed_bytes: expect.any(Number) } });
    expect(existsSync(gpuDir(environment))).toBe(false);
    expect((await run(['gpu', 'uninstall'], environment)).stdout).toBe('Nothing was installed.\n');
  });

  it.each([
    ['cuda', ['dev/dri/renderD128', loader], 'cuda needs a GPU of NVIDIA. Nothing was installed'],
    ['cuda', ['dev/nvidiactl', loader], 'cuda needs the driver of NVIDIA'],
    [undefined, ['dev/nvidiactl'], 'The GPU cannot be used yet, so nothing was installed'],
  ])('%s is refused where it could not work, with what is missing', async (kind, files, message) => {
    const environment = empty();
    const asked = installGpuEngine(loadConfig(environment), {
      kind,
      isForced: false,
      environment,
      cwd: temporaryDir(),
      signal: new AbortController().signal,
      platform: 'linux-x64',
      root: machineWith(...files),
    });
    await expect(asked).rejects.toThrow(message);
    expect(existsSync(environment.TRAMONTANE_DATA_DIR)).toBe(false);
  });

  it('of a Mac there is nothing to install', async () => {
    const asked = installGpuEngine(loadConfig(empty()), {
      kind: undefined,
      isForced: true,
      environment: {},
      cwd: temporaryDir(),
      signal: new AbortController().signal,
      platform: 'darwin-arm64',
    });
    await expect(asked).rejects.toThrow('Models run on the GPU of this Mac already (Metal)');
  });
});
