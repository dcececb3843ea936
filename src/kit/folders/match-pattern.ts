/** Whether a path, or a folder on the way to it, matches one of the patterns. */
export function isIgnored(path: string, patterns: readonly string[]): boolean {
  const parts = path.split('/');
  return patterns.some((given) => {
    const pattern = given.replace(/\/$/, '');
    if (pattern === '') return false;
    if (!pattern.includes('/')) return parts.some((part) => matchName(part, pattern));
    const wanted = pattern.replace(/^\//, '').split('/');
    return parts.some((_, end) => matchPath(parts.slice(0, end + 1), wanted));
  });
}

/** `**` stands for any number of folders. Goes back to the last one only, so the time is bounded by the product of lengths. */
function matchPath(parts: readonly string[], wanted: readonly string[]): boolean {
  return matchAll(parts, wanted, '**', (part, pattern) => matchName(part, pattern));
}

function matchName(name: string, pattern: string): boolean {
  return matchAll([...name], [...pattern], '*', (character, one) => one === '?' || character === one);
}

function matchAll(
  items: readonly string[],
  pattern: readonly string[],
  wildcard: string,
  isSame: (item: string, one: string) => boolean,
): boolean {
  let at = 0;
  let place = 0;
  let star = -1;
  let resume = 0;
  while (at < items.length) {
    const one = pattern[place];
    if (one === wildcard) {
      star = place++;
      resume = at;
    } else if (one !== undefined && isSame(items[at] as string, one)) {
      at++;
      place++;
    } else if (star >= 0) {
      place = star + 1;
      at = ++resume;
    } else return false;
  }
  while (pattern[place] === wildcard) place++;
  return place === pattern.length;
}
