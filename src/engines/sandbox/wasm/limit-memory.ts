const MEMORY_SECTION = 5;
const HEADER_BYTES = 8;
export const PAGE_BYTES = 65_536;

/**
 * The same WebAssembly program with a lower ceiling for its memory. A program's own ceiling is as a rule the 4 GiB that
 * it can address; with a lower one `malloc` fails there, which Python turns into a MemoryError.
 */
export function limitMemory(wasm: Uint8Array, bytesMax: number): Uint8Array<ArrayBuffer> {
  for (let at = HEADER_BYTES; at < wasm.length; ) {
    const section = at;
    const id = wasm[at] ?? 0;
    const size = readUnsigned(wasm, at + 1);
    const end = size.next + size.value;
    if (id === MEMORY_SECTION) {
      const count = readUnsigned(wasm, size.next);
      const minimum = readUnsigned(wasm, count.next + 1);
      if (count.value !== 1) throw new Error('The program has not exactly one memory.');
      const pages = Math.max(minimum.value, Math.floor(bytesMax / PAGE_BYTES));
      const body = [1, 1, ...writeUnsigned(minimum.value), ...writeUnsigned(pages)];
      const replaced = [MEMORY_SECTION, ...writeUnsigned(body.length), ...body];
      const result = new Uint8Array(section + replaced.length + wasm.length - end);
      result.set(wasm.subarray(0, section));
      result.set(replaced, section);
      result.set(wasm.subarray(end), section + replaced.length);
      return result;
    }
    at = end;
  }
  throw new Error('The program has no memory of its own.');
}

function readUnsigned(bytes: Uint8Array, from: number): { value: number; next: number } {
  let value = 0;
  for (let at = from, factor = 1; ; at++, factor *= 128) {
    const byte = bytes[at] ?? 0;
    value += (byte & 0x7f) * factor;
    if (byte < 0x80) return { value, next: at + 1 };
  }
}

function writeUnsigned(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 0x80);
  return [...bytes, rest];
}
