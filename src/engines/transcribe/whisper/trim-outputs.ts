const GRAPH = 7;
const OUTPUT = 12;
const NAME = 1;
const LENGTH_DELIMITED = 2;

type Field = { number: number; start: number; end: number; content: Uint8Array | undefined };

/**
 * An ONNX model without the outputs that nobody reads. The runtime keeps each output of a run in memory until its end, and
 * the attentions of Whisper's encoder are several hundred megabytes.
 */
export function trimOutputs(model: Uint8Array, isKept: (name: string) => boolean): Uint8Array {
  return rewrite(model, ({ number, content }) =>
    number === GRAPH && content
      ? rewrite(content, (field) => (isDropped(field, isKept) ? null : undefined))
      : undefined,
  );
}

function isDropped({ number, content }: Field, isKept: (name: string) => boolean): boolean {
  if (number !== OUTPUT || !content) return false;
  for (const field of fieldsOf(content))
    if (field.number === NAME && field.content) return !isKept(Buffer.from(field.content).toString('utf8'));
  return false;
}

/** `change` returns other content for a field, null to leave it out, or undefined to keep it. */
function rewrite(message: Uint8Array, change: (field: Field) => Uint8Array | null | undefined): Uint8Array {
  const pieces: Uint8Array[] = [];
  for (const field of fieldsOf(message)) {
    const changed = change(field);
    if (changed === undefined) pieces.push(message.subarray(field.start, field.end));
    else if (changed)
      pieces.push(writeVarint((field.number << 3) | LENGTH_DELIMITED), writeVarint(changed.length), changed);
  }
  return Buffer.concat(pieces);
}

function* fieldsOf(message: Uint8Array): Generator<Field> {
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
