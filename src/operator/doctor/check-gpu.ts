import type { Config } from '../../config/config.ts';
import type { Environment } from '../../config/environment.ts';
import { describeDevice, readGpuStatus } from '../gpu.ts';
import { type Check, ok, warn } from './check.ts';

const NAME = 'gpu';

/** Which device models with `gpu: auto` run on, those of the file. It is opened for that, as a model would. */
export async function checkGpu(config: Config, environment: Environment): Promise<Check[]> {
  const models = config.file.models.flatMap((model) =>
    model.engine === 'llama' && model.gpu === 'auto' && !model.isLazy ? [model.id] : [],
  );
  if (models.length === 0) return [];
  const { device, failure, found, installed, hints, advice } = await readGpuStatus(config, environment);
  const users = models.join(', ');
  if (!device) return [warn(NAME, failure ?? 'the runtime cannot be opened', 'run "npm ci", which installs it')];
  if (device.kind !== 'cpu') return [ok(NAME, `${describeDevice(device)}, serves ${users}`)];
  if (found.length === 0 && installed.length === 0) return [ok(NAME, `none was found: ${users} on the CPU`)];
  const fix = advice
    ? `run ${advice}`
    : hints.join('; ') || 'install the driver of the GPU, or run tramontane gpu uninstall';
  return [warn(NAME, `${describeProblem(installed)}: ${users} on the CPU`, fix)];
}

function describeProblem(installed: { is_current: boolean }[]): string {
  if (installed.length === 0) return 'there is one that is not used';
  if (installed.some(({ is_current }) => is_current)) return 'the installed GPU engine finds no device it can use';
  return 'the installed GPU engine is of an older version';
}
