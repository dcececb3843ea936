import type { Config } from '../../config/config.ts';
import type { Environment } from '../../config/environment.ts';
import { GPU_TITLES, type LeftDevice } from '../../engines/index.ts';
import { describeDevice, describeLeft, type GpuStatus, readGpuStatus } from '../gpu.ts';
import { type Check, ok, warn } from './check.ts';
import { askOurServer } from './check-port.ts';
import { readGauge } from './read-gauge.ts';

const NAME = 'gpu';

/** What a model of the running server computes with; several where processes of it differ. */
type ServedModel = { model: string; devices: string[]; left: LeftDevice[] };

/** What models of the running server compute with, and which device those of the file would run on that it has not loaded. */
export async function checkGpu(config: Config, environment: Environment): Promise<Check[]> {
  const metrics = config.port === 0 ? undefined : await askOurServer(config.host, config.port, '/metrics');
  const served = metrics === undefined ? [] : readServed(metrics);
  const wanted = config.file.models.flatMap((model) =>
    model.engine === 'llama' && model.gpu === 'auto' && !model.isLazy ? [model.id] : [],
  );
  const others = wanted.filter((id) => !served.some(({ model }) => model === id));
  return [
    ...(wanted.length > 0 ? [describeStatus(await readGpuStatus(config, environment), others)] : []),
    ...served.map(describeServed),
  ];
}

function readServed(metrics: string): ServedModel[] {
  const served = new Map<string, ServedModel>();
  for (const { labels } of readGauge(metrics, 'tramontane_model_device')) {
    const { model = '', device = '' } = labels;
    const { devices = [] } = served.get(model) ?? {};
    served.set(model, { model, devices: [...devices, device], left: [] });
  }
  for (const { labels } of readGauge(metrics, 'tramontane_model_left_device')) {
    const { model = '', device, reason = '' } = labels;
    served.get(model)?.left.push({ kind: device as LeftDevice['kind'], reason });
  }
  return [...served.values()];
}

function describeServed({ model, devices, left }: ServedModel): Check {
  const names = devices.map((device) => (device in GPU_TITLES ? GPU_TITLES[device as LeftDevice['kind']] : 'the CPU'));
  const what = `the running server computes ${model} on ${names.join(' and ')}`;
  if (left.length === 0) return ok(NAME, what);
  return warn(NAME, `${what}: ${left.map(describeLeft).join('; ')}`, `${fixOf(left)}, and restart the server`);
}

function describeStatus(status: GpuStatus, models: string[]): Check {
  const { device, failure, left, found, installed, hints, advice } = status;
  if (!device) return warn(NAME, failure ?? 'the runtime cannot be opened', 'run "npm ci", which installs it');
  const failures = left.map(describeLeft).join('; ');
  if (device.kind !== 'cpu') {
    const what = describeDevice(device) + (models.length > 0 ? `, serves ${models.join(', ')}` : '');
    return failures === '' ? ok(NAME, what) : warn(NAME, `${what}; ${failures}`, fixOf(left));
  }
  const onCpu = models.length > 0 ? `: ${models.join(', ')} on the CPU` : '';
  if (failures !== '') return warn(NAME, failures + onCpu, advice ? `run ${advice}` : fixOf(left));
  if (found.length === 0 && installed.length === 0) return ok(NAME, `none was found${onCpu}`);
  const fix = advice
    ? `run ${advice}`
    : hints.join('; ') || 'install the driver of the GPU, or run tramontane gpu uninstall';
  return warn(NAME, `${describeProblem(installed)}${onCpu}`, fix);
}

/** Metal comes with the Mac. */
function fixOf(left: LeftDevice[]): string {
  const first = 'update the driver of the GPU ("When a GPU fails" in docs/gpu.md)';
  const [kind, ...others] = left.flatMap((one) => (one.kind === 'metal' ? [] : one.kind));
  if (kind === undefined) return first;
  return `${first}, or run tramontane gpu uninstall${others.length === 0 ? ` ${kind}` : ''}`;
}

function describeProblem(installed: { is_current: boolean }[]): string {
  if (installed.length === 0) return 'there is one that is not used';
  if (installed.some(({ is_current }) => is_current)) return 'the installed GPU engine finds no device it can use';
  return 'the installed GPU engine is of an older version';
}
