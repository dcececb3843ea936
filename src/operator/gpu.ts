import type { Config } from '../config/config.ts';
import type { Environment } from '../config/environment.ts';
import {
  type DetectedGpus,
  detectGpus,
  type FoundDevice,
  type FoundGpu,
  findDevice,
  type GpuInstallOptions,
  type GpuKind,
  gpuDirOf,
  installGpu,
  listInstalledGpus,
  PullFailed,
  removeGpu,
} from '../engines/index.ts';
import { createLog } from '../kit/base/log.ts';
import { CommandFailure, explainFile } from './command-failure.ts';

const GIB = 2 ** 30;
const RUNTIMES = { cuda: 'CUDA', vulkan: 'Vulkan', metal: 'Metal' } as const;

export type GpuStatus = {
  /** What a model with `gpu: auto` would run on; null if the runtime cannot be opened, and `failure` says why. */
  device: GpuDevice | null;
  failure: string | null;
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

export async function readGpuStatus({ dataDir }: Config, environment: Environment): Promise<GpuStatus> {
  const gpuDir = gpuDirOf(dataDir);
  const { gpus, usable, hints } = await detectGpus({ environment });
  const installed = await listInstalledGpus(gpuDir);
  // Without a GPU and its engine the outcome is known, which saves the doctor a second.
  const isPlain = gpus.length === 0 && installed.length === 0;
  const found = isPlain ? CPU : await openDevice(gpuDir, environment);
  const device = 'kind' in found ? found : null;
  const isServed = device !== null && device.kind !== 'cpu';
  return {
    device,
    failure: 'failure' in found ? found.failure : null,
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
    const device = await openDevice(gpuDir, environment);
    return {
      kind,
      version,
      was_installed: wasThere,
      device: 'kind' in device ? device : null,
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
  const name = `${names.join(', ')} by ${RUNTIMES[kind]}`;
  return memory_bytes === null || free_bytes === null
    ? name
    : `${name}, ${gib(free_bytes)} of ${gib(memory_bytes)} GiB free`;
}

function gib(bytes: number): string {
  return (bytes / GIB).toFixed(1);
}

async function openDevice(gpuDir: string, environment: Environment): Promise<GpuDevice | { failure: string }> {
  const found = await findDevice({ gpuDir, environment, log: createLog('silent') });
  if ('failure' in found) return found;
  const { kind, names, memoryBytes, freeBytes } = found;
  return { kind, names, memory_bytes: memoryBytes, free_bytes: freeBytes };
}
