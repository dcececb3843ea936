const NAME_CHARACTERS_MAX = 255;
const MIMETYPE = /^[a-z0-9!#$&^_.+-]{1,100}\/[a-z0-9!#$&^_.+-]{1,100}$/;
const CONTROL = /\p{Cc}/gu;

/** A name for people and headers, never for a path: no folders, no control characters, a bounded length. */
export function cleanName(filename: string): string {
  const name = filename.toWellFormed().split(/[/\\]/).at(-1)?.replace(CONTROL, '_') ?? '';
  return [...name].slice(0, NAME_CHARACTERS_MAX).join('') || 'file';
}

/** The type as it was said, if it has the form of one; nobody looks into the content for another. */
export function cleanMimetype(mimetype: string | null): string | null {
  const type = mimetype?.toLowerCase() ?? '';
  return MIMETYPE.test(type) ? type : null;
}
