import type { Config } from '../config/config.ts';
import type { Environment } from '../config/environment.ts';
import {
  type DetectedGpus,
  detectGpus,
  type FoundDevice,
  type FoundGpu,
  findDevice,
  GPU_TITLES,
  type GpuInstallOptions,
  type GpuKind,
  gpuDirOf,
  installGpu,
  type LeftDevice,
  listInstalledGpus,
  PullFailed,
  removeGpu,
} from '../engines/index.ts';
import { createLog } from '../kit/base/log.ts';
import { CommandFailure, explainFile } from './command-failure.ts';

const GIB = 2 ** 30;

export type GpuStatus = {
  /** What a model with `gpu: auto` would run on; null if the runtime cannot be opened, and `failure` says why. */
  device: GpuDevice | null;
  failure: string | null;
  /** What failed when it was tried, and why. */
  left: LeftDevice[];
  found: FoundGpu[];
  installed: { kind: GpuKind; version: string; is_current: boolean; bytes: number }[];
  hints: string[];
  advice: string | null;
};

type GpuDevice = {
  kind: FoundDevice['kind'];
  names: string[];
  memory_bytes: number | null;
  free_bytes: number | null;
};

const CPU: GpuDevice = { kind: 'cpu', names: [], memory_bytes: null, free_bytes: null };

/** What a GPU does that has computed, or why the runtime cannot be opened. */
type TriedDevice = { device: GpuDevice | null; failure: string | null; left: LeftDevice[] };

export async function readGpuStatus({ dataDir }: Config, environment: Environment): Promise<GpuStatus> {
  const gpuDir = gpuDirOf(dataDir);
  const { gpus, usable, hints } = await detectGpus({ environment });
  const installed = await listInstalledGpus(gpuDir);
  // Without a GPU and its engine the outcome is known, which saves the doctor a second.
  const isPlain = gpus.length === 0 && installed.length === 0;
  const tried = isPlain ? { device: CPU, failure: null, left: [] } : await tryDevice(gpuDir, environment);
  const isServed = tried.device !== null && tried.device.kind !== 'cpu';
  return {
    ...tried,
    found: gpus,
    installed: installed.map(({ isCurrent, ...rest }) => ({ ...rest, is_current: isCurrent })),
    hints: isServed ? [] : hints,
    advice: isServed ? null : advise(usable, installed),
  };
}

function advise(usable: GpuKind[], installed: { kind: GpuKind; isCurrent: boolean }[]): string | null {
  const outdated = installed.find(({ isCurrent }) => !isCurrent);
  if (outdated) return `npx tramontane gpu install ${outdated.kind}`;
  const [best] = usable.filter((kind) => !installed.some((one) => one.kind === kind));
  return best ? `npx tramontane gpu install ${best}` : null;
}

/** Installs the engine of the kind, or of the best one for this machine. Without a usable GPU it does so only by force. */
export async function installGpuEngine(
  { dataDir }: Config,
  options: Pick<GpuInstallOptions, 'cwd' | 'signal' | 'onProgress' | 'table' | 'platform'> & {
    kind: string | undefined;
    isForced: boolean;
    environment: Environment;
    root?: string;
  },
) {
  const { isForced, environment, platform, root, ...rest } = options;
  const gpuDir = gpuDirOf(dataDir);
  const detected = await detectGpus({ environment, platform, ...(root === undefined ? {} : { root }) });
  const [first] = detected.gpus;
  if (first?.vendor === 'apple')
    throw new CommandFailure('Models run on the GPU of this Mac already (Metal): there is nothing to install.');
  const kind = (options.kind ?? detected.usable[0]) as GpuKind | undefined;
  if (!first && !isForced)
    throw new CommandFailure(
      'No GPU was found on this machine, so nothing was installed. Use --force to install it anyway.',
    );
  if (!kind)
    throw new CommandFailure(
      first
        ? `The GPU cannot be used yet, so nothing was installed: ${detected.hints.join('; ')}.`
        : 'Say which one: npx tramontane gpu install cuda --force, or vulkan.',
    );
  if (first && !isForced && !detected.usable.includes(kind))
    throw new CommandFailure(`${explainUnusable(kind, detected)}. Nothing was installed; --force does it anyway.`);
  try {
    const { version, wasThere } = await installGpu({
      ...rest,
      ...(platform === undefined ? {} : { platform }),
      gpuDir,
      kind,
      environment,
    });
    const { device, left } = await tryDevice(gpuDir, environment);
    return {
      ...{ kind, version, was_installed: wasThere, device, left },
      hints: detected.hints.filter((hint) => hint.startsWith(`${kind} `) || hint.startsWith('this user')),
    };
  } catch (error) {
    throw error instanceof PullFailed ? new CommandFailure(error.message) : error;
  }
}

function explainUnusable(kind: GpuKind, { gpus, hints }: DetectedGpus): string {
  if (kind === 'cuda' && !gpus.some(({ vendor }) => vendor === 'nvidia')) return 'cuda needs a GPU of NVIDIA';
  return hints.find((hint) => hint.startsWith(kind)) ?? `${kind} cannot be used on this machine`;
}

/** Returns how much was freed. */
export async function removeGpuEngine(
  { dataDir }: Config,
  kind: string | undefined,
  signal: AbortSignal,
): Promise<number> {
  try {
    return (await removeGpu(gpuDirOf(dataDir), kind as GpuKind | undefined, { signal })) ?? 0;
  } catch (error) {
    throw explainFile(error, 'Deleting the GPU engine');
  }
}

/** `NVIDIA L4 by CUDA, 21.5 of 22.5 GiB free`. */
export function describeDevice({ kind, names, memory_bytes, free_bytes }: GpuDevice): string {
  if (kind === 'cpu') return 'the CPU';
  const name = `${names.join(', ')} by ${GPU_TITLES[kind]}`;
  return memory_bytes === null || free_bytes === null
    ? name
    : `${name}, ${gib(free_bytes)} of ${gib(memory_bytes)} GiB free`;
}

function gib(bytes: number): string {
  return (bytes / GIB).toFixed(1);
}

/** `CUDA failed: its process ended with SIGABRT in its trial`. */
export function describeLeft({ kind, reason }: LeftDevice): string {
  return `${GPU_TITLES[kind]} failed: ${reason}`;
}

async function tryDevice(gpuDir: string, environment: Environment): Promise<TriedDevice> {
  const found = await findDevice({ gpuDir, environment, log: createLog('silent') });
  const { left } = found;
  if ('failure' in found) return { device: null, failure: found.failure, left };
  const { kind, names, memoryBytes, freeBytes } = found.device;
  return { device: { kind, names, memory_bytes: memoryBytes, free_bytes: freeBytes }, failure: null, left };
}
