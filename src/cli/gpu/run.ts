import {
  describeDevice,
  describeLeft,
  type GpuStatus,
  installGpuEngine,
  readGpuStatus,
  removeGpuEngine,
} from '../../operator/gpu.ts';
import type { Context } from '../shell/command.ts';
import { drawProgress } from '../shell/draw-progress.ts';
import { listenForSignals } from '../shell/listen-for-signals.ts';
import { readConfig } from '../shell/read-config.ts';

const MEGABYTE = 1_000_000;
const RESTART = 'Running servers use it after a restart.';

export async function showStatus(context: Context): Promise<undefined> {
  const status = await readGpuStatus(readConfig(context), context.environment);
  context.output.result(status, describeStatus(status).join('\n'));
}

export async function install(context: Context): Promise<undefined> {
  const { args, output, environment } = context;
  const config = readConfig(context);
  const cancel = new AbortController();
  void listenForSignals(() => process.exit(1)).then(() =>
    cancel.abort(new Error('stopped; run the same command to resume')),
  );
  const installed = await installGpuEngine(config, {
    kind: args.optionalParameter('kind'),
    isForced: args.flag('force'),
    environment,
    cwd: process.cwd(),
    signal: cancel.signal,
    onProgress: (progress) => output.progress(drawProgress(progress.file, progress)),
  });
  const { kind, was_installed, device, left, hints } = installed;
  for (const one of left) output.note(`warning: ${describeLeft(one)}`);
  if (device?.kind === 'cpu')
    output.note(
      `warning: no GPU computes with it, so models stay on the CPU${hints.length > 0 ? `: ${hints.join('; ')}` : ''}`,
    );
  const done = was_installed ? `The ${kind} engine is installed already.` : `Installed the ${kind} engine.`;
  output.result(installed, [done, ...(device ? [describeDevice(device)] : []), RESTART].join('\n'));
}

export async function uninstall(context: Context): Promise<undefined> {
  const { args, output } = context;
  const kind = args.optionalParameter('kind');
  const freed = await removeGpuEngine(readConfig(context), kind, new AbortController().signal);
  const text =
    freed === 0
      ? 'Nothing was installed.'
      : `Deleted it; freed ${megabytes(freed)}. ${RESTART.replace('use it', 'use the CPU')}`;
  output.result({ freed_bytes: freed }, text);
}

function describeStatus({ device, failure, left, found, installed, hints, advice }: GpuStatus): string[] {
  const gpus = found.map(
    ({ vendor, name }) => name ?? `a GPU of ${vendor === 'unknown' ? 'an unknown vendor' : vendor}`,
  );
  const engines = installed.map(
    ({ kind, version, is_current, bytes }) =>
      `${kind} ${version}, ${megabytes(bytes)}${is_current ? '' : ' (outdated)'}`,
  );
  return [
    `found      ${gpus.join(', ') || 'no GPU'}`,
    `installed  ${engines.join('; ') || 'no GPU engine'}`,
    `device     ${device ? describeDevice(device) : failure}`,
    ...left.map((one) => `left       ${describeLeft(one)}`),
    ...hints.map((hint) => `hint       ${hint}`),
    ...(advice ? [`next       ${advice}`] : []),
  ];
}

function megabytes(bytes: number): string {
  return `${Math.round(bytes / MEGABYTE)} MB`;
}
