export type Encoding = 'br' | 'gzip';

/** The best of the encodings that a file has and a client accepts. */
export function chooseEncoding(available: readonly Encoding[], accepted: string): Encoding | undefined {
  const names = accepted.split(',').map((part) => part.trim().split(';'));
  const isAccepted = (name: string) => names.some(([given, q]) => given === name && !/^\s*q=0(\.0+)?$/.test(q ?? ''));
  return (['br', 'gzip'] as const).find((name) => available.includes(name) && isAccepted(name));
}
