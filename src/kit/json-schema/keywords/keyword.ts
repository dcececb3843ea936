import type { JsonObject, Node } from '../node.ts';
import type { Pattern } from '../pattern/index.ts';

/** Where the value of a keyword holds schemas. */
export type Holds = 'schema' | 'list' | 'map' | 'schema or list' | 'map of schemas or names';

export type Keyword = {
  /** Whether the value is one that the meta-schema allows; what `holds` says is checked anyway. */
  accepts?: (value: unknown) => boolean;
  holds?: Holds;
  /** Adds the steps of the keyword to the node; left out of keywords that only describe. */
  build?: (at: Building, value: never) => void;
};

/** What a keyword may use to build its steps. */
export type Building = {
  node: Node;
  /** The keywords beside it. */
  beside: JsonObject;
  /** Contains counts towards evaluated items from draft 2020-12 on. */
  isNewest: boolean;
  child(raw: unknown): Node;
  /** The same for a schema that is applied to the same value. */
  inPlace(raw: unknown): Node;
  refer(reference: string): Node;
  pattern(source: string): Pattern;
};

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
export const isString = (value: unknown): value is string => typeof value === 'string';
export const isNumber = (value: unknown): value is number => typeof value === 'number';
export const isBoolean = (value: unknown): value is boolean => typeof value === 'boolean';
export const isCount = (value: unknown): value is number => isNumber(value) && value >= 0 && value % 1 === 0;
export const isNames = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every(isString) && new Set(value).size === value.length;
