import { type FileHandle, open } from 'node:fs/promises';
import { GgmlType, type GgufFileInfo, type GgufTensorInfo, readGgufFileInfo } from 'node-llama-cpp';

/** Weights in a block share a scale, and in Q4_1 a least value. */
const BLOCK = 32;
const BYTES: Partial<Record<GgmlType, number>> = {
  [GgmlType.F32]: 4 * BLOCK,
  [GgmlType.F16]: 2 * BLOCK,
  [GgmlType.Q4_1]: 20,
  [GgmlType.Q8_0]: 34,
};
/** Reading twice as many bytes costs larger models more than it saves. */
const WEIGHTS_MAX = 400e6;
const ALIGNMENT = 32;

type Tensor = { info: GgufTensorInfo; weights: number; type: GgmlType };

/**
 * Without matrix instructions llama.cpp takes weights in Q4_1 one token at a time, but several tokens at once through
 * weights in Q8_0, which hold the same values. Writes such a copy; returns false, and writes nothing, where it would not
 * help.
 */
export async function reencodeWeights(
  file: string,
  copy: string,
  machine: { architecture: string; systemInfo: string },
  progress: () => void,
): Promise<boolean> {
  if (!isSlowWithQ41(machine)) return false;
  const about = await readGgufFileInfo(file, { sourceType: 'filesystem', logWarnings: false });
  const tensors = plan(about);
  if (!tensors) return false;
  await using from = await open(file, 'r');
  await using to = await open(copy, 'wx', 0o600);
  await to.writeFile(writeHeader(await read(from, 0, about.metadataSize), tensors));
  for (const { info, weights, type } of tensors) {
    const bytes = await read(from, Number(info.fileOffset), bytesOf(info.ggmlType, weights));
    await to.writeFile(padded(type === info.ggmlType ? bytes : toQ80(bytes)));
    progress();
  }
  return true;
}

export function isSlowWithQ41({ architecture, systemInfo }: { architecture: string; systemInfo: string }): boolean {
  return architecture === 'x64' && /\bLLAMAFILE = 1\b/.test(systemInfo) && !/\bAMX_INT8 = 1\b/.test(systemInfo);
}

/** Undefined for files in several parts, with other kinds of weights, or with few in Q4_1. */
function plan({ tensorInfo = [], splicedParts, metadata }: GgufFileInfo): Tensor[] | undefined {
  const { alignment = ALIGNMENT } = metadata.general as { alignment?: number };
  const tensors = tensorInfo.map((info): Tensor => {
    const weights = info.dimensions.reduce<number>((product, size) => product * Number(size), 1);
    return { info, weights, type: info.ggmlType === GgmlType.Q4_1 ? GgmlType.Q8_0 : info.ggmlType };
  });
  const sum = (list: Tensor[]) => list.reduce((total, { weights }) => total + weights, 0);
  const isKnown = ({ info, weights }: Tensor) => BYTES[info.ggmlType] !== undefined && weights % BLOCK === 0;
  const changed = tensors.filter(({ info, type }) => type !== info.ggmlType);
  const pays = 2 * sum(changed) > sum(tensors) && sum(tensors) <= WEIGHTS_MAX;
  return pays && splicedParts === 1 && alignment === ALIGNMENT && tensors.every(isKnown) ? tensors : undefined;
}

function bytesOf(type: GgmlType, weights: number): number {
  return (weights / BLOCK) * (BYTES[type] ?? 0);
}

/** The values of the file as they are, and where each tensor begins now. */
function writeHeader(metadata: Buffer, tensors: Tensor[]): Buffer {
  let offset = 0;
  const places = tensors.map(({ info, weights, type }) => {
    const name = Buffer.from(info.name);
    const place = Buffer.alloc(8 + name.length + 4 + 8 * info.dimensions.length + 4 + 8);
    let at = place.writeBigUInt64LE(BigInt(name.length));
    at += name.copy(place, at);
    at = place.writeUInt32LE(info.dimensions.length, at);
    for (const size of info.dimensions) at = place.writeBigUInt64LE(BigInt(size), at);
    at = place.writeUInt32LE(type, at);
    place.writeBigUInt64LE(BigInt(offset), at);
    offset += Math.ceil(bytesOf(type, weights) / ALIGNMENT) * ALIGNMENT;
    return place;
  });
  return padded(Buffer.concat([metadata, ...places]));
}

/** Of each block its scale and the whole steps of all its weights, with 127 steps to the largest. */
export function toQ80(q41: Buffer): Buffer {
  const q80 = Buffer.alloc((q41.length / 20) * 34);
  const half = new Float16Array(1);
  const bits = new Uint16Array(half.buffer);
  const steps = new Int8Array(16);
  for (let from = 0, to = 0; from < q41.length; from += 20, to += 34) {
    bits[0] = q41.readUInt16LE(from);
    const scale = half[0] ?? 0;
    bits[0] = q41.readUInt16LE(from + 2);
    const least = half[0] ?? 0;
    half[0] = Math.max(Math.abs(least), Math.abs(15 * scale + least)) / 127;
    const step = half[0] ?? 0;
    q80.writeUInt16LE(bits[0] ?? 0, to);
    for (let level = 0; level < 16; level++) {
      const exact = step === 0 ? 0 : Math.round((level * scale + least) / step);
      steps[level] = Math.max(-127, Math.min(127, exact));
    }
    // The first halves of the bytes are the first half of the block.
    for (let at = 0; at < 16; at++) {
      const pair = q41[from + 4 + at] ?? 0;
      q80[to + 2 + at] = steps[pair & 15] ?? 0;
      q80[to + 18 + at] = steps[pair >> 4] ?? 0;
    }
  }
  return q80;
}

async function read(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length);
  const { bytesRead } = await file.read({ buffer, position });
  if (bytesRead < length) throw new Error('The file is shorter than it says.');
  return buffer;
}

function padded(bytes: Buffer): Buffer {
  const rest = bytes.length % ALIGNMENT;
  return rest === 0 ? bytes : Buffer.concat([bytes, Buffer.alloc(ALIGNMENT - rest)]);
}
