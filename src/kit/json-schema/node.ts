import type { Budget } from './budget.ts';

/** One keyword of a schema, ready to be applied to a value of the type it is about. */
export type Step<V = unknown> = (run: Run, value: V, seen: Seen | undefined) => boolean;

export type JsonObject = Record<string, unknown>;

/** A schema or subschema. What it refers to is linked when it can be reached from the root. */
export type Node = {
  raw: JsonObject | boolean;
  /** None for `true` and `false`. */
  resource: Resource | undefined;
  isLinked: boolean;
  /** A mask of `TYPE`. */
  types: number;
  always: Step[];
  numbers: Step<number>[];
  strings: Step<string>[];
  arrays: Step<unknown[]>[];
  objects: Step<JsonObject>[];
  /** These run last: they are about what no other keyword has looked at. */
  unevaluated: Step[];
  /** Schemas that are applied to the same value. */
  inPlace: Node[];
  /** How many schemas are applied to one value here, itself included; 0 until it was counted. */
  weight: number;
  height: number;
};

type Steps = {
  always: Step;
  numbers: Step<number>;
  strings: Step<string>;
  arrays: Step<unknown[]>;
  objects: Step<JsonObject>;
};

/** Most nodes have few steps, and a large schema has thousands of nodes: they share one empty list. */
const NONE: never[] = [];

export function createNode(raw: JsonObject | boolean, resource: Resource | undefined): Node {
  return {
    raw,
    resource,
    isLinked: false,
    types: ANY_TYPE,
    always: NONE,
    numbers: NONE,
    strings: NONE,
    arrays: NONE,
    objects: NONE,
    unevaluated: NONE,
    inPlace: NONE,
    weight: 0,
    height: 0,
  };
}

export function addStep<Kind extends keyof Steps>(node: Node, kind: Kind, step: Steps[Kind]): void {
  const steps = node[kind] as Steps[Kind][];
  if (steps === NONE) node[kind] = [step] as never;
  else steps.push(step);
}

export function addUnevaluated(node: Node, step: Step): void {
  node.unevaluated = [...node.unevaluated, step];
}

export function addInPlace(node: Node, inner: Node): void {
  if (node.inPlace === NONE) node.inPlace = [inner];
  else node.inPlace.push(inner);
}

/** A schema with an address of its own, to which `$id`, anchors and pointers are relative. */
export type Resource = {
  uri: string;
  root: Node | undefined;
  anchors: Map<string, Node>;
  dynamicAnchors: Map<string, Node>;
  isRecursive: boolean;
};

/** What a check does besides its verdict. */
export type Run = {
  budget: Budget;
  depth: number;
  /** The resources on the way to here, for dynamic references; undefined in schemas that have none. */
  scope: Resource[] | undefined;
  /** Undefined when only the verdict is asked for. */
  mistakes: Mistake[] | undefined;
  path: (string | number)[];
};

/** `keyword`, `params` and `message` are the same as Ajv's. */
export type Mistake = { keyword: string; instancePath: string; params: JsonObject; message: string };

/** The properties and items that keywords have looked at; kept only under `unevaluatedProperties` and `unevaluatedItems`. */
export type Seen = {
  hasAllNames: boolean;
  names: Set<string>;
  /** Items before this index. */
  items: number;
  indexes: Set<number>;
};

/** Making one is more work than a step. */
export const SEEN_STEPS = 8;

export const createSeen = (): Seen => ({ hasAllNames: false, names: new Set(), items: 0, indexes: new Set() });

export function mergeSeen(into: Seen, from: Seen, budget: Budget): void {
  budget.spend(1 + from.names.size + from.indexes.size);
  into.hasAllNames ||= from.hasAllNames;
  if (!into.hasAllNames) for (const name of from.names) into.names.add(name);
  into.items = Math.max(into.items, from.items);
  for (const index of from.indexes) if (index >= into.items) into.indexes.add(index);
}

export const TYPE = { null: 1, boolean: 2, integer: 4, number: 8, string: 16, array: 32, object: 64 } as const;
export const ANY_TYPE = 127;
/** Infinity, which JSON.parse makes of 1e999, counts as an integer, as it does in Ajv. */
export function typeOf(value: unknown): number {
  switch (typeof value) {
    case 'string':
      return TYPE.string;
    case 'number':
      return value % 1 ? TYPE.number : TYPE.integer | TYPE.number;
    case 'boolean':
      return TYPE.boolean;
    default:
      return value === null ? TYPE.null : Array.isArray(value) ? TYPE.array : TYPE.object;
  }
}
