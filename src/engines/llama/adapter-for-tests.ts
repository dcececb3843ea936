/** One matrix of the base model that the adapter changes: its GGUF name and its sizes, as the file lists them. */
type Change = { tensor: string; inputs: number; outputs: number };

type AdapterOptions = {
  architecture?: string;
  type?: string;
  adapterType?: string;
  changes?: Change[];
  /** How much is added; nothing with 0. */
  strength?: number;
};

const RANK = 4;
const ALIGNMENT = 32;
const TYPES = { uint32: 4, float32: 6, string: 8 } as const;
const F32 = 0;

/** Two layers near the end of SmolLM2-135M, wide enough apart from each other to change what it says. */
const SMOLLM2: Change[] = [
  { tensor: 'blk.26.ffn_down.weight', inputs: 1536, outputs: 576 },
  { tensor: 'blk.28.attn_output.weight', inputs: 576, outputs: 576 },
];

/** The bytes of a LoRA adapter in GGUF form, made of numbers that are the same each time. */
export function loraAdapter(options: AdapterOptions = {}): Buffer {
  const { architecture = 'llama', type = 'adapter', adapterType = 'lora', changes = SMOLLM2, strength = 1 } = options;
  const fields = [
    field('general.type', TYPES.string, text(type)),
    field('general.architecture', TYPES.string, text(architecture)),
    field('adapter.type', TYPES.string, text(adapterType)),
    field('adapter.lora.alpha', TYPES.float32, float(RANK)),
  ];
  const tensors = changes.flatMap(({ tensor, inputs, outputs }) => [
    { name: `${tensor}.lora_a`, dimensions: [inputs, RANK], scale: strength === 0 ? 0 : 1 },
    { name: `${tensor}.lora_b`, dimensions: [RANK, outputs], scale: strength },
  ]);
  const infos: Buffer[] = [];
  const data: Buffer[] = [];
  let offset = 0;
  for (const { name, dimensions, scale } of tensors) {
    const values = waves(
      dimensions.reduce((product, size) => product * size, 1),
      scale,
    );
    infos.push(
      Buffer.concat([text(name), uint32(dimensions.length), ...dimensions.map(uint64), uint32(F32), uint64(offset)]),
    );
    data.push(padded(values));
    offset += padded(values).length;
  }
  const head = [Buffer.from('GGUF'), uint32(3), uint64(tensors.length), uint64(fields.length), ...fields, ...infos];
  return Buffer.concat([padded(Buffer.concat(head)), ...data]);
}

function waves(count: number, scale: number): Buffer {
  const values = Float32Array.from({ length: count }, (_, i) => scale * Math.sin(i * 0.7 + (i % 13)));
  return Buffer.from(values.buffer);
}

function field(name: string, type: number, value: Buffer): Buffer {
  return Buffer.concat([text(name), uint32(type), value]);
}

function text(value: string): Buffer {
  return Buffer.concat([uint64(Buffer.byteLength(value)), Buffer.from(value)]);
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

function uint64(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes;
}

function float(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeFloatLE(value);
  return bytes;
}

function padded(bytes: Buffer): Buffer {
  return Buffer.concat([bytes, Buffer.alloc((ALIGNMENT - (bytes.length % ALIGNMENT)) % ALIGNMENT)]);
}
