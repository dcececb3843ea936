/** The name of a broken rule, and what to do about it. */
export type Fault = { rule: string; message: string };

/** A fault and its path in the definition. */
export type Problem = Fault & { at: string[] };

export const PATH_BYTES_MAX = 1024;
const SEGMENT_BYTES_MAX = 255;
const DEVICE = /^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(\.|$)/i;
const UNPORTABLE = /[<>:"|?*]/;

// A skill is unpacked on other machines: a path must stay inside its folder and name the same file on Linux, macOS
// and Windows.
export function checkPath(path: string): Fault[] {
  if (path === '') return [{ rule: 'path-empty', message: 'a file needs a path' }];
  const segments = path.split(/[/\\]/);
  const faults: [boolean, string, string][] = [
    [path.startsWith('/'), 'path-absolute', "a path is relative to the skill's folder: leave out the leading '/'"],
    [/^[a-z]:/i.test(path), 'path-drive', 'a path must not name a drive'],
    [path.includes('\\'), 'path-backslash', "separate folders with '/', not with a backslash"],
    [segments.includes('..'), 'path-parent', "a path must not contain '..'"],
    [hasEmptySegment(path), 'path-segment', "no part of a path may be empty or '.', and a path must not end with '/'"],
    [/\p{Cc}/u.test(path), 'path-control', 'a path must not contain control characters'],
    [!path.isWellFormed(), 'path-unicode', 'a path must be valid Unicode: it has half a surrogate pair'],
    [!isPortable(path, segments), 'path-portable', 'Windows cannot store this name'],
    [
      isTooLong(path, segments),
      'path-length',
      `a path may have at most ${PATH_BYTES_MAX} bytes, each of its parts ${SEGMENT_BYTES_MAX}`,
    ],
    [
      isReserved(path, segments),
      'path-reserved',
      'this name is reserved: SKILL.md is generated from description and body, .git belongs to git',
    ],
  ];
  return faults.filter(([broken]) => broken).map(([, rule, message]) => ({ rule, message }));
}

function hasEmptySegment(path: string): boolean {
  const inside = path.startsWith('/') ? path.slice(1) : path;
  return inside.split('/').some((segment) => segment === '' || segment === '.');
}

function isPortable(path: string, segments: string[]): boolean {
  const withoutDrive = path.replace(/^[a-z]:/i, '');
  if (UNPORTABLE.test(withoutDrive)) return false;
  return !segments.some((segment) => DEVICE.test(segment) || (/[. ]$/.test(segment) && !/^\.{1,2}$/.test(segment)));
}

function isTooLong(path: string, segments: string[]): boolean {
  if (Buffer.byteLength(path) > PATH_BYTES_MAX) return true;
  return segments.some((segment) => Buffer.byteLength(segment) > SEGMENT_BYTES_MAX);
}

function isReserved(path: string, segments: string[]): boolean {
  // The next git command would run hooks of an unpacked .git folder; git~1 is its short name on Windows.
  return foldName(path) === 'skill.md' || segments.some((segment) => /^(\.git|git~1)$/i.test(segment));
}

// Two names with the same folded form may be one file: macOS and Windows ignore case, macOS also how accents are
// composed. Upper case first, because only then do ß and SS, or the three sigmas, match.
export function foldName(name: string): string {
  return name.normalize('NFD').toUpperCase().toLowerCase().normalize('NFC');
}
