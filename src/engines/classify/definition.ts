/** `single_class`: exactly one label applies. `multi_class`: any number of them, also none. The names are the API's. */
export type LossFunction = 'single_class' | 'multi_class';

/** One question that a classifier answers about a text, and the labels it chooses from. */
export type ClassifierTarget = {
  name: string;
  labels: string[];
  loss_function: LossFunction;
  /** Base64 of little-endian float32: for each label a weight per dimension, then its bias. Already calibrated. */
  weights: string;
};

/** A classifier that was trained over the vectors of an embedding model. */
export type ClassifierDefinition = { dimensions: number; targets: ClassifierTarget[] };

/** A target with its weights as numbers. */
export type TargetHead = { name: string; labels: string[]; loss_function: LossFunction; weights: Float32Array };

export function toHead({ name, labels, loss_function, weights }: ClassifierTarget): TargetHead {
  const bytes = Buffer.from(weights, 'base64');
  const numbers = new Float32Array(bytes.length / 4);
  for (let index = 0; index < numbers.length; index++) numbers[index] = bytes.readFloatLE(index * 4);
  return { name, labels, loss_function, weights: numbers };
}

export function packWeights(weights: ArrayLike<number>): string {
  const bytes = Buffer.alloc(weights.length * 4);
  for (let index = 0; index < weights.length; index++) bytes.writeFloatLE(weights[index] ?? 0, index * 4);
  return bytes.toString('base64');
}
