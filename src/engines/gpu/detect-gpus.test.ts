import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryDir } from '../../../test/support/databases.ts';
import { detectGpus } from './detect-gpus.ts';

/** A machine as Linux shows it. */
function machineWith(files: Record<string, string>): string {
  const root = temporaryDir();
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}

const detect = (files: Record<string, string>, environment = {}) =>
  detectGpus({ environment, platform: 'linux-x64', root: machineWith(files) });

const NVIDIA = { 'proc/driver/nvidia/gpus/0000:01:00.0/information': 'Model: \t\t NVIDIA L4\nIRQ: 1\n' };
const DRIVER = { 'usr/lib/x86_64-linux-gnu/libcuda.so.1': '' };
const CUDA = { 'libcudart.so.13': '', 'libcublas.so.13': '', 'libcublasLt.so.13': '' };
const LOADER = { 'usr/lib/x86_64-linux-gnu/libvulkan.so.1': '' };
const inToolkit = (files: Record<string, string>) =>
  Object.fromEntries(
    Object.entries(files).map(([name, text]) => [`usr/local/cuda-13.0/targets/x86_64-linux/lib/${name}`, text]),
  );

it('a machine without a GPU has none, whatever libraries it has', async () => {
  expect(await detect({ ...LOADER, ...DRIVER })).toEqual({ gpus: [], usable: [], hints: [] });
});

it('the display of a virtual machine is no GPU', async () => {
  expect((await detect({ 'sys/class/drm/card0/device/vendor': '0x1234\n', ...LOADER })).gpus).toEqual([]);
});

it('an NVIDIA card uses CUDA where the driver and the runtime are, else Vulkan, and says what is missing', async () => {
  expect(await detect({ ...NVIDIA, ...DRIVER, ...inToolkit(CUDA), ...LOADER })).toEqual({
    gpus: [{ vendor: 'nvidia', name: 'NVIDIA L4' }],
    usable: ['cuda', 'vulkan'],
    hints: [],
  });
  expect(await detect({ ...NVIDIA, ...DRIVER, ...LOADER })).toMatchObject({
    usable: ['vulkan'],
    hints: ['cuda needs the CUDA 12 or 13 runtime (libcudart.so, libcublas.so, libcublasLt.so not found)'],
  });
  expect((await detect({ ...NVIDIA })).hints).toEqual([
    'cuda needs the driver of NVIDIA (libcuda.so.1)',
    'vulkan needs its loader (Debian: apt install libvulkan1)',
  ]);
});

it('libraries are also found where LD_LIBRARY_PATH says', async () => {
  const LD_LIBRARY_PATH = machineWith({ ...CUDA, 'libcuda.so.1': '' });
  expect((await detect(NVIDIA, { LD_LIBRARY_PATH })).usable).toEqual(['cuda']);
});

it('cards of AMD and Intel use Vulkan', async () => {
  const cards = { 'sys/class/drm/card0/device/vendor': '0x1002\n', 'sys/class/drm/card1/device/vendor': '0x8086\n' };
  expect(await detect({ ...cards, ...LOADER })).toMatchObject({
    gpus: [{ vendor: 'amd' }, { vendor: 'intel' }],
    usable: ['vulkan'],
  });
});

it('in a container the device files are enough', async () => {
  expect((await detect({ 'dev/nvidiactl': '' })).gpus).toEqual([{ vendor: 'nvidia', name: null }]);
  expect((await detect({ 'dev/dri/renderD128': '' })).gpus).toEqual([{ vendor: 'unknown', name: null }]);
});

it('a Mac with its own processor has one, and needs nothing', async () => {
  expect(await detectGpus({ environment: {}, platform: 'darwin-arm64' })).toEqual({
    gpus: [{ vendor: 'apple', name: null }],
    usable: [],
    hints: [],
  });
});
