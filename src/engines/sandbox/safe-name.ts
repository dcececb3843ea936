const NAME_BYTES_MAX = 200;
const DEPTH_MAX = 8;

/** A relative path whose every part is a plain name. */
export function isSafeName(name: string): boolean {
  const parts = name.split('/');
  return (
    name.isWellFormed() &&
    Buffer.byteLength(name) <= NAME_BYTES_MAX &&
    parts.length <= DEPTH_MAX &&
    parts.every((part) => part !== '' && part !== '.' && part !== '..' && !/[\\\p{Cc}]/u.test(part))
  );
}
