import { type Field, rewrite, textOf } from '../onnx/fields.ts';

const GRAPH = 7;
const OUTPUT = 12;
const NAME = 1;

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
  const name = number === OUTPUT && content ? textOf(content, NAME) : undefined;
  return name !== undefined && !isKept(name);
}
