/** A person's name as one text: its first word, and the rest. */
export function splitName(name: string): [first: string, last: string] {
  const [first = '', ...rest] = name.split(/\s+/);
  return [first, rest.join(' ')];
}
