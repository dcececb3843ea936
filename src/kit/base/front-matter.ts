import { parse, stringify } from 'yaml';

export type FrontMatter = { fields: Record<string, unknown>; body: string };

/** The text has no front matter, or its YAML cannot be read; the message says what is wrong. */
export class FrontMatterError extends Error {}

const OPENING = /^\ufeff?---[ \t]*\r?\n/;
const CLOSING = /^---[ \t]*(?:\r?\n|$)/m;

/**
 * Markdown with YAML front matter. Every scalar is text: `description: yes` means the word.
 * One empty line after the YAML belongs to the format and not to the body.
 */
export function readFrontMatter(text: string): FrontMatter {
  const opening = OPENING.exec(text);
  if (!opening) throw new FrontMatterError("it does not begin with front matter (a line '---', YAML, a line '---')");
  const rest = text.slice(opening[0].length);
  const closing = CLOSING.exec(rest);
  if (!closing) throw new FrontMatterError("its front matter is not closed by a line '---'");
  const body = rest.slice(closing.index + closing[0].length).replace(/^\r?\n/, '');
  return { fields: readYamlMap(rest.slice(0, closing.index)), body };
}

/** Round-trips: fields that are text or lists of text, and any body. */
export function writeFrontMatter({ fields, body }: FrontMatter): string {
  return `---\n${writeYamlMap(fields)}---\n${body === '' ? '' : `\n${body}`}`;
}

export function readYamlMap(text: string): Record<string, unknown> {
  let value: unknown;
  try {
    // Anchors are refused: nested aliases can expand a short text without bound.
    value = parse(text, { schema: 'failsafe', maxAliasCount: 0 }) ?? {};
  } catch (error) {
    const [reason] = (error instanceof Error ? error.message : '').split('\n');
    throw new FrontMatterError(`its YAML cannot be read: ${reason}`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new FrontMatterError('its YAML is not a list of names with values');
  }
  return value as Record<string, unknown>;
}

export function writeYamlMap(fields: Record<string, unknown>): string {
  return Object.entries(fields)
    .map(([name, value]) => writeField(name, value))
    .join('');
}

// Plain YAML where it round-trips. Some texts do not (carriage returns, trailing white space), so each is parsed again,
// and written as JSON, which is YAML too, if it came back different.
function writeField(name: string, value: unknown): string {
  const plain = stringify({ [name]: value }, { lineWidth: 0 });
  const isFaithful = !/^---/m.test(plain) && JSON.stringify(readBack(plain)?.[name]) === JSON.stringify(value);
  return isFaithful ? plain : `${name}: ${escapeInvisible(JSON.stringify(value))}\n`;
}

function readBack(text: string): Record<string, unknown> | undefined {
  try {
    return readYamlMap(text);
  } catch (error) {
    if (error instanceof FrontMatterError) return undefined;
    throw error;
  }
}

function escapeInvisible(json: string): string {
  return json.replaceAll(
    /[\u007f-\u009f\u2028\u2029\ufeff]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
