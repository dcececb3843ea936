import { z } from 'zod';
import type { SandboxFile, SandboxLimits, SandboxRequest } from '../sandbox.ts';

/** A number of four bytes, that many bytes of JSON, then the files one after the other. */
export function writeRequest({ code, files = [] }: SandboxRequest, limits: SandboxLimits): Buffer {
  const listed = files.map(({ name, content }) => ({ name, bytes: content.byteLength }));
  const header = Buffer.from(JSON.stringify({ code, limits, files: listed }));
  const size = Buffer.alloc(4);
  size.writeUInt32BE(header.length);
  return Buffer.concat([size, header, ...files.map(({ content }) => content)]);
}

const Header = z.object({
  code: z.int(),
  files: z.array(z.object({ name: z.string(), bytes: z.int().min(0) })),
});

/** The supervisor's report; undefined when there is none, or the program forged a bad one. */
export function readResult(bytes: Buffer): { code: number; files: SandboxFile[] } | undefined {
  if (bytes.length < 4) return undefined;
  const end = 4 + bytes.readUInt32BE(0);
  const header = Header.safeParse(parse(bytes.toString('utf8', 4, end)));
  if (!header.success) return undefined;
  let at = end;
  const files = header.data.files.map(({ name, bytes: size }) => {
    const content = bytes.subarray(at, at + size);
    at += size;
    return { name, content };
  });
  return at <= bytes.length ? { code: header.data.code, files } : undefined;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
