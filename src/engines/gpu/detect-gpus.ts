import { existsSync } from 'node:fs';
import { access, constants, readdir, readFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import type { GpuKind } from './packages.ts';

export type FoundGpu = { vendor: 'nvidia' | 'amd' | 'intel' | 'apple' | 'unknown'; name: string | null };

/** What this machine has, by its files: no driver is loaded, and no process started. */
export type DetectedGpus = {
  gpus: FoundGpu[];
  /** What can be used with what is installed here, best first. */
  usable: GpuKind[];
  /** Why another kind cannot be used, in words for the operator. */
  hints: string[];
};

type Variables = Record<string, string | undefined>;
type DetectOptions = { environment: Variables; platform?: string | undefined; root?: string };

const VENDORS: Record<string, FoundGpu['vendor']> = { '0x10de': 'nvidia', '0x1002': 'amd', '0x8086': 'intel' };

export async function detectGpus({
  environment,
  platform = `${process.platform}-${process.arch}`,
  root = '/',
}: DetectOptions): Promise<DetectedGpus> {
  if (platform === 'darwin-arm64') return { gpus: [{ vendor: 'apple', name: null }], usable: [], hints: [] };
  if (platform.startsWith('win32')) return detectOnWindows(environment);
  if (platform.startsWith('linux')) return detectOnLinux(environment, root);
  return { gpus: [], usable: [], hints: [] };
}

async function detectOnLinux(environment: Variables, root: string): Promise<DetectedGpus> {
  const nvidia = await findNvidia(root);
  const renderNodes = (await namesIn(join(root, 'dev/dri'))).filter((name) => name.startsWith('renderD'));
  const cards = (await findCards(root)).filter(({ vendor }) => vendor !== 'nvidia' || nvidia.length === 0);
  const gpus: FoundGpu[] = [...nvidia, ...cards];
  if (gpus.length === 0 && renderNodes.length > 0) gpus.push({ vendor: 'unknown', name: null });
  if (gpus.length === 0) return { gpus, usable: [], hints: [] };
  // The same places as node-llama-cpp looks at, which decides in the end.
  const places = await libraryDirs(environment, root);
  const has = (name: string) => places.some((dir) => existsSync(join(dir, name)));
  const hasAny = (name: string, ...versions: string[]) => ['', ...versions].some((version) => has(name + version));
  const hints: string[] = [];
  const usable: GpuKind[] = [];
  if (nvidia.length > 0) {
    const missing = ['libcudart.so', 'libcublas.so', 'libcublasLt.so'].filter((name) => !hasAny(name, '.13', '.12'));
    if (!hasAny('libcuda.so', '.1')) hints.push('cuda needs the driver of NVIDIA (libcuda.so.1)');
    else if (missing.length > 0) hints.push(`cuda needs the CUDA 12 or 13 runtime (${missing.join(', ')} not found)`);
    else usable.push('cuda');
  }
  if (!hasAny('libvulkan.so', '.1')) hints.push('vulkan needs its loader (Debian: apt install libvulkan1)');
  else usable.push('vulkan');
  const closed = (await Promise.all(renderNodes.map((name) => isClosed(join(root, 'dev/dri', name))))).some(Boolean);
  if (closed) hints.push('this user may not open /dev/dri/renderD*: add it to the group render');
  return { gpus, usable, hints };
}

async function findNvidia(root: string): Promise<FoundGpu[]> {
  const dir = join(root, 'proc/driver/nvidia/gpus');
  const texts = await Promise.all(
    (await namesIn(dir)).map((name) => readFile(join(dir, name, 'information'), 'utf8').catch(() => '')),
  );
  const named = texts.map((text) => ({
    vendor: 'nvidia' as const,
    name: /^Model:\s*(.+?)\s*$/m.exec(text)?.[1] ?? null,
  }));
  if (named.length > 0) return named;
  // In containers /proc may be hidden; dxg is the GPU of the Windows around a WSL.
  const isThere = ['dev/nvidiactl', 'dev/dxg'].some((path) => existsSync(join(root, path)));
  return isThere ? [{ vendor: 'nvidia', name: null }] : [];
}

/** Graphics cards that compute; the ones of virtual machines and of remote consoles have other vendors. */
async function findCards(root: string): Promise<FoundGpu[]> {
  const dir = join(root, 'sys/class/drm');
  const cards = (await namesIn(dir)).filter((name) => /^card\d+$/.test(name));
  const vendors = await Promise.all(
    cards.map((card) => readFile(join(dir, card, 'device/vendor'), 'utf8').catch(() => '')),
  );
  return vendors.flatMap((vendor) => {
    const known = VENDORS[vendor.trim()];
    return known ? [{ vendor: known, name: null }] : [];
  });
}

async function libraryDirs(environment: Variables, root: string): Promise<string[]> {
  const cudaDirs = (await namesIn(join(root, 'usr/local'))).filter((name) => /^cuda(-|$)/.test(name));
  const own = [environment.LD_LIBRARY_PATH, environment.CUDA_PATH].flatMap((paths) => paths?.split(delimiter) ?? []);
  return [
    ...own.filter(Boolean),
    ...['usr/lib', 'usr/lib64', 'usr/lib/x86_64-linux-gnu'].map((dir) => join(root, dir)),
    ...cudaDirs.map((dir) => join(root, 'usr/local', dir, 'targets/x86_64-linux/lib')),
  ];
}

function detectOnWindows(environment: Variables): DetectedGpus {
  const system = join(environment.SystemRoot ?? environment.SYSTEMROOT ?? 'C:\\Windows', 'System32');
  const hasNvidia = existsSync(join(system, 'nvml.dll'));
  const hasVulkan = existsSync(join(system, 'vulkan-1.dll'));
  const hasToolkit = environment.CUDA_PATH !== undefined;
  const gpus: FoundGpu[] = hasNvidia
    ? [{ vendor: 'nvidia', name: null }]
    : hasVulkan
      ? [{ vendor: 'unknown', name: null }]
      : [];
  const usable: GpuKind[] = [
    ...(hasNvidia && hasToolkit ? (['cuda'] as const) : []),
    ...(hasVulkan ? (['vulkan'] as const) : []),
  ];
  return { gpus, usable, hints: hasNvidia && !hasToolkit ? ['cuda needs the CUDA 12 or 13 toolkit (CUDA_PATH)'] : [] };
}

async function namesIn(dir: string): Promise<string[]> {
  return (await readdir(dir).catch(() => [])).sort();
}

async function isClosed(path: string): Promise<boolean> {
  return access(path, constants.R_OK | constants.W_OK).then(
    () => false,
    () => true,
  );
}
