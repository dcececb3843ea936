import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { ROOT } from '../build/layout.ts';
import type { TriedMutant } from './judge-mutants.ts';

export type Position = { line: number; column: number };
export type Mutant = {
  id: string;
  fileName: string;
  location: { start: Position; end: Position };
  replacement?: string | undefined;
};

const CHANGE_PART_MAX = 60;

/** Stryker counts lines and columns from 0 in its plan, and from 1 in its results. */
export function describeMutant(
  { fileName, location, replacement = '' }: Mutant,
  first: 0 | 1,
): Omit<TriedMutant, 'status'> {
  const lines = readFileSync(fileName, 'utf8').split('\n');
  const [line, column] = [location.start.line - first, location.start.column - first];
  const changed = lines.slice(line, location.end.line - first + 1);
  const last = changed.length - 1;
  changed[last] = changed[last]?.slice(0, location.end.column - first) ?? '';
  changed[0] = changed[0]?.slice(column) ?? '';
  return {
    file: relative(ROOT, fileName),
    line: line + 1,
    column: column + 1,
    code: lines[line]?.trim() ?? '',
    change: `${shorten(changed.join(' '))} → ${shorten(replacement)}`,
  };
}

function shorten(code: string): string {
  const text = code.replace(/\s+/g, ' ');
  return text.length > CHANGE_PART_MAX ? `${text.slice(0, CHANGE_PART_MAX)}…` : text;
}
