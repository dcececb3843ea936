/** The bytes are not a valid protobuf message. */
export class Malformed extends Error {}

const LENGTH_DELIMITED = 2;
const FIELD_NUMBER_MAX = 2 ** 29 - 1;
const VARINT_BYTES_MAX = 10;

/** Fields to report, nested by field number. */
export type Fields<T> = Map<number, { label?: T; within?: Fields<T> }>;

/** Start and end of each value in the bytes. */
type Visit<T> = (label: T, from: number, to: number) => void;

export function addField<T>(fields: Fields<T>, [number = 0, ...rest]: readonly number[], label: T): void {
  const field = fields.get(number) ?? {};
  fields.set(number, field);
  if (rest.length === 0) field.label = label;
  else {
    field.within ??= new Map();
    addField(field.within, rest, label);
  }
}

/**
 * Reports every occurrence of the fields: protobuf allows repeated fields, takes the last and merges messages, so a
 * check must visit all. One pass without allocations: a message may have millions of fields. `visit` may throw.
 */
export function readFields<T>(bytes: Uint8Array, fields: Fields<T>, visit: Visit<T>): void {
  new Reader(bytes, visit).read(fields, bytes.length);
}

class Reader<T> {
  readonly #bytes: Uint8Array;
  readonly #visit: Visit<T>;
  #at = 0;

  constructor(bytes: Uint8Array, visit: Visit<T>) {
    this.#bytes = bytes;
    this.#visit = visit;
  }

  read(fields: Fields<T>, end: number): void {
    while (this.#at < end) {
      const tag = this.#varint(end);
      const number = Math.floor(tag / 8);
      if (number === 0 || number > FIELD_NUMBER_MAX) throw new Malformed();
      switch (tag % 8) {
        case 0:
          this.#varint(end);
          break;
        case 1:
          this.#at += 8;
          break;
        case LENGTH_DELIMITED:
          this.#value(fields.get(number), this.#varint(end), end);
          break;
        case 5:
          this.#at += 4;
          break;
        default:
          throw new Malformed();
      }
      if (this.#at > end) throw new Malformed();
    }
  }

  #value(field: { label?: T; within?: Fields<T> } | undefined, length: number, end: number): void {
    const from = this.#at;
    const to = from + length;
    if (to > end) throw new Malformed();
    if (field?.label !== undefined) this.#visit(field.label, from, to);
    if (field?.within) this.read(field.within, to);
    this.#at = to;
  }

  #varint(end: number): number {
    let value = 0;
    for (let index = 0; index < VARINT_BYTES_MAX && this.#at < end; index++) {
      const byte = this.#bytes[this.#at++] as number;
      if (byte < 0x80) return index === 0 ? byte : value + byte * 2 ** (7 * index);
      value += (byte & 0x7f) * 2 ** (7 * index);
    }
    throw new Malformed();
  }
}
