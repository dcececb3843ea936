import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GgmlType, type GgufTensorInfo, readGgufFileInfo } from 'node-llama-cpp';
import { afterAll, describe, expect, it } from 'vitest';
import { inFull } from '../../../test/support/in-full.ts';
import { isSlowWithQ41, reencodeWeights, toQ80 } from './reencode-weights.ts';
import { chatWeights, weightsNeeded } from './weights-for-tests.ts';

const PLAIN = { architecture: 'x64', systemInfo: 'CPU : AVX2 = 1 | AVX512_VNNI = 1 | LLAMAFILE = 1 | REPACK = 1 | ' };
const directory = mkdtempSync(join(tmpdir(), 'reencode-'));
const half = new Float16Array(1);
const bits = new Uint16Array(half.buffer);

afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** One block: its scale, its least value, and 32 levels from 0 to 15. */
function blockOf(scale: number, least: number, levels: number[]): Buffer {
  const block = Buffer.alloc(20);
  half[0] = scale;
  block.writeUInt16LE(bits[0] ?? 0, 0);
  half[0] = least;
  block.writeUInt16LE(bits[0] ?? 0, 2);
  for (let at = 0; at < 16; at++) block[4 + at] = (levels[at] ?? 0) | ((levels[at + 16] ?? 0) << 4);
  return block;
}

function numberAt(block: Buffer, at: number): number {
  bits[0] = block.readUInt16LE(at);
  return half[0] ?? 0;
}

function readQ41(block: Buffer): number[] {
  const [scale, least] = [numberAt(block, 0), numberAt(block, 2)];
  const low = [...block.subarray(4, 20)].map((pair) => (pair & 15) * scale + least);
  return [...low, ...[...block.subarray(4, 20)].map((pair) => (pair >> 4) * scale + least)];
}

const readQ80 = (block: Buffer) => Array.from({ length: 32 }, (_, at) => block.readInt8(2 + at) * numberAt(block, 0));

function expectNear(block: Buffer, copy: Buffer): void {
  const exact = readQ41(block);
  // Half a step of 127 to the largest, and the rounding of the step itself.
  const error = Math.max(...exact.map(Math.abs)) / 127 / 1.9;
  for (const [at, value] of readQ80(copy).entries())
    expect(Math.abs(value - (exact[at] ?? 0))).toBeLessThanOrEqual(error);
}

describe('weights in Q4_1', () => {
  it('keep their values in Q8_0, each in its place', () => {
    const levels = Array.from({ length: 32 }, (_, at) => (at * 7) % 16);
    for (const [scale, least] of [
      [0.01, -0.08],
      [0.5, 3],
      [0.002, -9],
      [-0.03, 0.2],
    ] as const) {
      const block = blockOf(scale, least, levels);
      expectNear(block, toQ80(block));
    }
    expect(readQ80(toQ80(blockOf(0, 0, levels)))).toEqual(Array(32).fill(0));
  });

  it('are copied on processors on which they take one token at a time, and nowhere else', () => {
    expect(isSlowWithQ41(PLAIN)).toBe(true);
    expect(isSlowWithQ41({ ...PLAIN, systemInfo: `${PLAIN.systemInfo}AMX_INT8 = 1 | ` })).toBe(false);
    expect(isSlowWithQ41({ ...PLAIN, systemInfo: 'CPU : AVX2 = 1 | ' })).toBe(false);
    expect(isSlowWithQ41({ ...PLAIN, architecture: 'arm64' })).toBe(false);
  });
});

inFull.given(chatWeights).describe(`the default model: ${weightsNeeded}`, () => {
  const file = chatWeights ?? '';

  it('has the same values and tensors in its copy', async () => {
    const copy = join(directory, 'copy.gguf');
    expect(await reencodeWeights(file, copy, PLAIN, () => undefined)).toBe(true);
    const [before, after] = [await readGgufFileInfo(file), await readGgufFileInfo(copy)];
    expect(after.metadata).toEqual(before.metadata);
    const shape = ({ name, dimensions }: GgufTensorInfo) => [name, ...dimensions.map(Number)];
    expect(after.tensorInfo?.map(shape)).toEqual(before.tensorInfo?.map(shape));
    const [from, to] = [readFileSync(file), readFileSync(copy)];
    const differ = [GgmlType.Q4_1, GgmlType.Q8_0];
    let changed = 0;
    for (const [at, tensor] of (before.tensorInfo ?? []).entries()) {
      const place = after.tensorInfo?.[at];
      const [old, now] = [Number(tensor.fileOffset), Number(place?.fileOffset)];
      if (tensor.ggmlType === place?.ggmlType) expect(to.subarray(now, now + 64)).toEqual(from.subarray(old, old + 64));
      else {
        expect([tensor.ggmlType, place?.ggmlType]).toEqual(differ);
        expectNear(from.subarray(old + 20, old + 40), to.subarray(now + 34, now + 68));
        changed++;
      }
    }
    expect(changed).toBe(210);
  });

  it('is read as it is where a copy would not help', async () => {
    const copy = join(directory, 'none.gguf');
    expect(await reencodeWeights(file, copy, { ...PLAIN, architecture: 'arm64' }, () => undefined)).toBe(false);
    expect(existsSync(copy)).toBe(false);
  });

  it('is not copied from a file that ends too early', async () => {
    const short = join(directory, 'short.gguf');
    writeFileSync(short, readFileSync(file).subarray(0, 30e6));
    await expect(reencodeWeights(short, join(directory, 'x.gguf'), PLAIN, () => undefined)).rejects.toThrow('shorter');
  });
});
