/** There are some thousand names of properties of characters; looking one up takes a tenth of a millisecond. */
const known = new Map<string, RegExp>();
const KNOWN_MAX = 4000;

/** The test of `p{…}` or `P{…}`; throws if there is no such property. */
export function propertyOf(name: string): RegExp {
  const found = known.get(name);
  if (found) return found;
  const property = new RegExp(`^\\${name}$`, 'u');
  if (known.size < KNOWN_MAX) known.set(name, property);
  return property;
}
