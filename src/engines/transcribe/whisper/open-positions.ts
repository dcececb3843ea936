import { contentOf, rewrite, textOf, writeField, writeNumber } from '../onnx/fields.ts';

const GRAPH = 7;
const INITIALIZER = 5;
const INPUT = 11;
const TENSOR = { name: 8, rawData: 9 };
const FLOAT = 1;

export const POSITIONS_INPUT = 'embed_positions.weight';
/** Half a minute. */
export const POSITIONS = 1500;

/** The vectors that tell the encoder where in the window a sound is. */
export type Positions = { values: Float32Array; width: number };

/**
 * Makes the table of positions, a constant of the encoder, an input of it. With fewer positions the same model hears a
 * shorter window: ten seconds cost a seventh of half a minute. Undefined for a model without such a table.
 */
export function openPositions(model: Uint8Array): { model: Uint8Array; positions: Positions } | undefined {
  let positions: Positions | undefined;
  const opened = rewrite(model, ({ number, content }) => {
    if (number !== GRAPH || !content) return undefined;
    const graph = rewrite(content, (field) => {
      if (field.number !== INITIALIZER || !field.content) return undefined;
      if (textOf(field.content, TENSOR.name) !== POSITIONS_INPUT) return undefined;
      const raw = contentOf(field.content, TENSOR.rawData);
      if (!raw) return undefined;
      const values = new Float32Array(Uint8Array.from(raw).buffer);
      positions = { values, width: values.length / POSITIONS };
      return null;
    });
    return positions && Buffer.concat([graph, writeField(INPUT, describeInput(positions.width))]);
  });
  return positions && { model: opened, positions };
}

/** A table of floats with any number of rows, as a `ValueInfoProto`. */
function describeInput(width: number): Uint8Array {
  const rows = writeField(1, writeField(2, 'positions'));
  const columns = writeField(1, writeNumber(1, width));
  const tensor = Buffer.concat([writeNumber(1, FLOAT), writeField(2, Buffer.concat([rows, columns]))]);
  return Buffer.concat([writeField(1, POSITIONS_INPUT), writeField(2, writeField(1, tensor))]);
}
