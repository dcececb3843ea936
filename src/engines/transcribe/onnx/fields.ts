const LENGTH_DELIMITED = 2;

/** A field of a protobuf message; `content` only where it is bytes, text or a message. */
export type Field = { number: number; start: number; end: number; content: Uint8Array | undefined };

/** `change` returns other content for a field, null to leave it out, or undefined to keep it. */
export function rewrite(message: Uint8Array, change: (field: Field) => Uint8Array | null | undefined): Uint8Array {
  const pieces: Uint8Array[] = [];
  for (const field of fieldsOf(message)) {
    const changed = change(field);
    if (changed === undefined) pieces.push(message.subarray(field.start, field.end));
    else if (changed) pieces.push(writeField(field.number, changed));
  }
  return Buffer.concat(pieces);
}

export function* fieldsOf(message: Uint8Array): Generator<Field> {
  for (let at = 0; at < message.length; ) {
    const start = at;
    const key = readVarint(message, at);
    at = key.end;
    const number = Math.floor(key.value / 8);
    const wire = key.value % 8;
    let content: Uint8Array | undefined;
    if (wire === LENGTH_DELIMITED) {
      const length = readVarint(message, at);
      at = length.end + length.value;
      content = message.subarray(length.end, at);
    } else if (wire === 0) at = readVarint(message, at).end;
    else at += wire === 1 ? 8 : 4;
    yield { number, start, end: at, content };
  }
}

export function textOf(message: Uint8Array, number: number): string | undefined {
  const content = contentOf(message, number);
  return content && Buffer.from(content).toString('utf8');
}

export function textsOf(message: Uint8Array, number: number): string[] {
  return contentsOf(message, number).map((content) => Buffer.from(content).toString('utf8'));
}

export function contentsOf(message: Uint8Array, number: number): Uint8Array[] {
  return [...fieldsOf(message)].flatMap((field) => (field.number === number && field.content ? [field.content] : []));
}

export function contentOf(message: Uint8Array, number: number): Uint8Array | undefined {
  for (const field of fieldsOf(message)) if (field.number === number && field.content) return field.content;
  return undefined;
}

export function writeField(number: number, content: Uint8Array | string): Uint8Array {
  const bytes = Buffer.from(content);
  return Buffer.concat([writeVarint((number << 3) | LENGTH_DELIMITED), writeVarint(bytes.length), bytes]);
}

export function writeNumber(number: number, value: number): Uint8Array {
  return Buffer.concat([writeVarint(number << 3), writeVarint(value)]);
}

function readVarint(bytes: Uint8Array, from: number): { value: number; end: number } {
  let value = 0;
  for (let at = from, scale = 1; ; at++, scale *= 128) {
    const byte = bytes[at];
    if (byte === undefined) throw new Error('The file is no ONNX model.');
    value += (byte & 127) * scale;
    if (byte < 128) return { value, end: at + 1 };
  }
}

function writeVarint(value: number): Uint8Array {
  const bytes: number[] = [];
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return Uint8Array.from([...bytes, rest]);
    bytes.push((rest % 128) | 128);
  }
}
