import type { Scope } from '../../kit/http/index.ts';
import type { DatasetRecordSource } from '../schema.ts';

/** One of the things that an import was asked for: a new record, or why there is none. */
export type Item =
  | { payload: Record<string, unknown>; properties: Record<string, unknown>; source: DatasetRecordSource }
  | { skipped: string };

/** Items in a fixed order, from a place on: an interrupted import goes on where it was. */
export type Source = {
  items(scope: Scope, from: number): AsyncGenerator<Item>;
  /** Of 100, after so many items. */
  progress(taken: number): number;
};

export const progressIn = (total: number) => (taken: number) => Math.min(99, Math.floor((taken * 100) / total));

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
