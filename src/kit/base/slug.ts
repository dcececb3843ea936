/** The words of a name, in lower case and joined by hyphens; empty for a name without letters of the alphabet. */
export function slugOf(name: string, charactersMax: number): string {
  const words =
    name
      .normalize('NFKD')
      .toLowerCase()
      .replace(/\p{M}/gu, '')
      .match(/[a-z0-9]+/g) ?? [];
  return words.join('-').slice(0, charactersMax).replace(/-$/, '');
}
