import { buffer } from 'node:stream/consumers';
import { openPromise } from 'yauzl';

export type NpyArray = { shape: number[]; values: Float32Array | Float64Array | Uint8Array | Int8Array };

const HEADER = /'descr': '([^']+)', 'fortran_order': False, 'shape': \(([\d, ]*)\)/;

/** Gives the arrays of a NumPy archive one by one, so that only one is in memory beside what its reader keeps. */
export async function* readNpz(file: string): AsyncGenerator<[name: string, array: NpyArray]> {
  const zip = await openPromise(file, { autoClose: false });
  try {
    for await (const entry of zip.eachEntry()) {
      const content = await buffer(await zip.openReadStreamPromise(entry));
      yield [entry.fileName.replace(/\.npy$/, ''), readNpy(content)];
    }
  } finally {
    zip.close();
  }
}

function readNpy(content: Buffer): NpyArray {
  if (content.toString('latin1', 1, 6) !== 'NUMPY' || content[6] !== 1) throw new Error('This is not a NumPy array.');
  const start = 10 + content.readUInt16LE(8);
  const [, type, sizes = ''] = HEADER.exec(content.toString('latin1', 10, start)) ?? [];
  const shape = sizes.split(',').flatMap((size) => (size.trim() === '' ? [] : Number(size)));
  return { shape, values: valuesOf(type, content.subarray(start)) };
}

function valuesOf(type: string | undefined, bytes: Uint8Array): NpyArray['values'] {
  // Numbers of several bytes need to be aligned, so they are copied.
  switch (type) {
    case '<f4':
      return new Float32Array(new Uint8Array(bytes).buffer);
    case '<f8':
      return new Float64Array(new Uint8Array(bytes).buffer);
    case '|u1':
      return bytes;
    case '|i1':
      return new Int8Array(bytes);
    default:
      throw new Error(`Arrays of the type ${type} are not read here.`);
  }
}
