import { formatBytes } from '../../ui/format.ts';
import type { ServedModel } from './queries.ts';

const runtimes = { cuda: 'CUDA', vulkan: 'Vulkan', metal: 'Metal' } as const;

/** `NVIDIA L4 by CUDA: 33 of 33 layers, 9 GB of 24 GB free`. */
export function describeDevice(device: NonNullable<ServedModel['device']>): string {
  const { kind, names, layers, gpu_layers, memory_bytes, free_bytes } = device;
  if (kind === 'cpu') return 'on the CPU';
  const placed = `${names.join(', ') || 'GPU'} by ${runtimes[kind]}: ${gpu_layers} of ${layers} layers`;
  if (memory_bytes === null || free_bytes === null) return placed;
  return `${placed}, ${formatBytes(free_bytes)} of ${formatBytes(memory_bytes)} free`;
}
