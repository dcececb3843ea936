/** The name of a broken rule, and what to do about it. */
export type Fault = { rule: string; message: string };

/** A fault and its path in the definition. */
export type Problem = Fault & { at: string[] };

const PATH_BYTES_MAX = 1024;
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
    [/^[a-z]:/i.test(path), 'path-drive', 'a path names no drive'],
    [path.includes('\\'), 'path-backslash', "folders are separated by '/', never by a backslash"],
    [segments.includes('..'), 'path-parent', "a path does not climb: no '..'"],
    [hasEmptySegment(path), 'path-segment', "no part of a path is empty or '.', and none ends it with '/'"],
    [/\p{Cc}/u.test(path), 'path-control', 'a path has no control characters'],
    [!path.isWellFormed(), 'path-unicode', 'a path is valid Unicode, without half a surrogate pair'],
    [!isPortable(path, segments), 'path-portable', 'Windows could not store this name'],
    [
      isTooLong(path, segments),
      'path-length',
      `a path has at most ${PATH_BYTES_MAX} bytes, each part of it ${SEGMENT_BYTES_MAX}`,
    ],
    [
      isReserved(path, segments),
      'path-reserved',
      'this name is taken: SKILL.md is written from description and body, .git belongs to git',
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
