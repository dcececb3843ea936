const URLS_MAX = 1000;
const CHARACTERS_MAX = 256;

/** What addresses ask for, which depends on nothing else: clients send the same ones again and again. */
export function createSeenUrls<T extends object>() {
  const seen = new Map<string, Readonly<T>>();
  return {
    get: (url: string): Readonly<T> | undefined => seen.get(url),
    add(url: string, asked: T): void {
      if (url.length > CHARACTERS_MAX) return;
      // Addresses that are too varied gain nothing from it, so it simply starts over.
      if (seen.size >= URLS_MAX) seen.clear();
      seen.set(url, asked);
    },
  };
}
