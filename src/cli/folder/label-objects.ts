import type { RemoteVersion } from './kind.ts';

/** File names that Windows reserves. */
const DEVICES = [
  'con',
  'prn',
  'aux',
  'nul',
  ...Array.from('123456789', (digit) => [`com${digit}`, `lpt${digit}`]).flat(),
];

/**
 * Assigns case-insensitively unique file names. Objects come in a fixed order, so labels are stable between exports.
 * Object names contain neither '~' nor '@'.
 */
export function createLabels(): (name: string) => string {
  const taken = new Set(DEVICES);
  return (name) => {
    let label = name;
    for (let count = 2; taken.has(label.toLowerCase()); count++) label = `${name}~${count}`;
    taken.add(label.toLowerCase());
    return label;
  };
}

/** The suffix of a version that is not the latest: its number, or its first alias. */
export function markOf({ version, aliases }: RemoteVersion, withNumbers: boolean): string {
  return withNumbers ? String(version) : (aliases.toSorted()[0] ?? String(version));
}

export type Label = { object: string; mark: string | undefined };

export function parseLabel(label: string): Label {
  const [object = '', mark] = label.split('@');
  return { object, mark };
}

/** Oldest first: numbers, then aliases, then the latest, which has no mark. */
export function compareMarks(one: Label, other: Label): number {
  const rank = ({ mark }: Label) => (mark === undefined ? 2 : /^\d+$/.test(mark) ? 0 : 1);
  if (rank(one) !== rank(other)) return rank(one) - rank(other);
  return rank(one) === 0 ? Number(one.mark) - Number(other.mark) : (one.mark ?? '') < (other.mark ?? '') ? -1 : 1;
}
