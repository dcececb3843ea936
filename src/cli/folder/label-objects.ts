import type { RemoteVersion } from './kind.ts';

/** Names that Windows keeps for devices, as if they were there already. */
const DEVICES = [
  'con',
  'prn',
  'aux',
  'nul',
  ...Array.from('123456789', (digit) => [`com${digit}`, `lpt${digit}`]).flat(),
];

/**
 * File names for objects: the name itself, unless another object has it where case does not count. Names are given
 * in a fixed order, so the same objects have the same labels in every export. No name holds a '~' or an '@'.
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

/** The mark of a version that is not the newest: its number, or the first of its aliases. */
export function markOf({ version, aliases }: RemoteVersion, withNumbers: boolean): string {
  return withNumbers ? String(version) : (aliases.toSorted()[0] ?? String(version));
}

export type Label = { object: string; mark: string | undefined };

export function parseLabel(label: string): Label {
  const [object = '', mark] = label.split('@');
  return { object, mark };
}

/** Oldest first and the newest last: numbers by value, then aliases, then the one without a mark. */
export function compareMarks(one: Label, other: Label): number {
  const rank = ({ mark }: Label) => (mark === undefined ? 2 : /^\d+$/.test(mark) ? 0 : 1);
  if (rank(one) !== rank(other)) return rank(one) - rank(other);
  return rank(one) === 0 ? Number(one.mark) - Number(other.mark) : (one.mark ?? '') < (other.mark ?? '') ? -1 : 1;
}
