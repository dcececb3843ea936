/** Of the trial model: a Llama of one layer, with the kinds of weights that most models have. */
const WIDTH = 256;
const KEY_WIDTH = 128;
const INNER_WIDTH = 512;
const WORDS = 320;
const ALIGNMENT = 32;

/** Bytes of 256 weights of a type, and its number in the file. */
const TYPES = { f32: [1024, 0], q4k: [144, 12], q6k: [210, 14] } as const;
type Tensor = { name: string; sizes: number[]; type: keyof typeof TYPES };

const matrix = (name: string, from: number, to: number, type: Tensor['type'] = 'q4k'): Tensor => ({
  name: `${name}.weight`,
  sizes: [from, to],
  type,
});
const norm = (name: string): Tensor => ({ name: `${name}.weight`, sizes: [WIDTH], type: 'f32' });

const TENSORS: Tensor[] = [
  matrix('token_embd', WIDTH, WORDS),
  norm('blk.0.attn_norm'),
  matrix('blk.0.attn_q', WIDTH, WIDTH),
  matrix('blk.0.attn_k', WIDTH, KEY_WIDTH),
  matrix('blk.0.attn_v', WIDTH, KEY_WIDTH),
  matrix('blk.0.attn_output', WIDTH, WIDTH),
  norm('blk.0.ffn_norm'),
  matrix('blk.0.ffn_gate', WIDTH, INNER_WIDTH),
  matrix('blk.0.ffn_up', WIDTH, INNER_WIDTH),
  matrix('blk.0.ffn_down', INNER_WIDTH, WIDTH, 'q6k'),
  norm('output_norm'),
  matrix('output', WIDTH, WORDS, 'q6k'),
];

/** A GGUF file with which a GPU is tried where there is no other model. All its weights are zero: only that it computes counts. */
export function writeTrialModel(): Buffer {
  const words = ['<unk>', '<s>', '</s>', ...Array.from({ length: 256 }, (_, byte) => `<0x${hex(byte)}>`)];
  while (words.length < WORDS) words.push(`word${words.length}`);
  const values = [
    value('general.architecture', 8, text('llama')),
    value('general.name', 8, text('trial')),
    value('llama.context_length', 4, uint32(1024)),
    value('llama.embedding_length', 4, uint32(WIDTH)),
    value('llama.block_count', 4, uint32(1)),
    value('llama.feed_forward_length', 4, uint32(INNER_WIDTH)),
    value('llama.attention.head_count', 4, uint32(4)),
    value('llama.attention.head_count_kv', 4, uint32(2)),
    value('llama.attention.layer_norm_rms_epsilon', 6, float32(1e-5)),
    value('tokenizer.ggml.model', 8, text('llama')),
    value('tokenizer.ggml.tokens', 9, list(8, words.map(text))),
    value(
      'tokenizer.ggml.scores',
      9,
      list(
        6,
        words.map(() => float32(0)),
      ),
    ),
    // The word for the unknown, control words, bytes and ordinary words.
    value(
      'tokenizer.ggml.token_type',
      9,
      list(
        5,
        words.map((_, id) => uint32(id === 0 ? 2 : id < 3 ? 3 : id < 259 ? 6 : 1)),
      ),
    ),
  ];
  let bytes = 0;
  const places = TENSORS.map(({ name, sizes, type }) => {
    const place = [text(name), uint32(sizes.length), ...sizes.map(uint64), uint32(TYPES[type][1]), uint64(bytes)];
    bytes += aligned((sizes.reduce((product, size) => product * size, 1) / 256) * TYPES[type][0]);
    return Buffer.concat(place);
  });
  const counts = [Buffer.from('GGUF'), uint32(3), uint64(TENSORS.length), uint64(values.length)];
  const head = Buffer.concat([...counts, ...values, ...places]);
  return Buffer.concat([head], aligned(head.length) + bytes);
}

const hex = (byte: number) => byte.toString(16).toUpperCase().padStart(2, '0');
const aligned = (length: number) => Math.ceil(length / ALIGNMENT) * ALIGNMENT;
const value = (key: string, type: number, content: Buffer) => Buffer.concat([text(key), uint32(type), content]);
const list = (type: number, items: Buffer[]) => Buffer.concat([uint32(type), uint64(items.length), ...items]);

function text(content: string): Buffer {
  const bytes = Buffer.from(content);
  return Buffer.concat([uint64(bytes.length), bytes]);
}

function uint32(number: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(number);
  return bytes;
}

function uint64(number: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(number));
  return bytes;
}

function float32(number: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeFloatLE(number);
  return bytes;
}
