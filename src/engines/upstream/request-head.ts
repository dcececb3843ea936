// biome-ignore lint/suspicious/noControlCharactersInRegex: what would begin another line.
const FORBIDDEN = /[\u0000-\u0008\u000a-\u001f\u007f\u0100-\uffff]/;

const PATH = /^[!-~]+$/;

/** By the headers of a target, which stay the same object, and by the path below its base. */
const known = new WeakMap<Record<string, string>, Map<string, string>>();

/**
 * The first lines of a request, all but the length of its body. The path comes in two pieces: a constant is found by its hash,
 * while a text that was just put together would be copied and hashed for each request.
 */
export function headOf(origin: string, basePath: string, path: string, headers: Record<string, string>): string {
  let heads = known.get(headers);
  if (!heads) {
    heads = new Map();
    known.set(headers, heads);
  }
  let head = heads.get(path);
  if (head === undefined) {
    head = build(origin, basePath + path, headers);
    heads.set(path, head);
  }
  return head;
}

function build(origin: string, path: string, headers: Record<string, string>): string {
  const { host } = new URL(origin);
  const lines = Object.entries({ host, connection: 'keep-alive', ...headers }).map(([name, value]) => {
    if (FORBIDDEN.test(value))
      throw new Error(`The header ${name} of a model server has characters that no header has.`);
    return `${name}: ${value}\r\n`;
  });
  if (!PATH.test(path)) throw new Error('The address of a model server has characters that no address has.');
  return `POST ${path} HTTP/1.1\r\n${lines.join('')}`;
}
