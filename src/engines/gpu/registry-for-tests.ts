import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tgzOf } from '../weights/archives-for-tests.ts';
import { GPU_SCOPE, type GpuPackage, type GpuTable, RUNTIME_VERSION } from './packages.ts';

export type FakePackage = { name: string; tgz: Buffer; pin: GpuPackage };

/** A package as node-llama-cpp's are, with a library of the given size. */
export function packageOf(name: string, libraryBytes = 3000): FakePackage {
  const manifest = JSON.stringify({ name: `${GPU_SCOPE}/${name}`, version: RUNTIME_VERSION, type: 'module' }, null, 2);
  return packed(name, [
    { path: 'package/package.json', content: Buffer.from(manifest) },
    { path: 'package/dist/index.js', content: Buffer.from(`export const where = import.meta.url;\n`) },
    { path: `package/bins/${name}/llama-addon.node`, content: randomBytes(libraryBytes) },
  ]);
}

export function packed(name: string, entries: Parameters<typeof tgzOf>[0]): FakePackage {
  const tgz = tgzOf(entries);
  const integrity = `sha512-${createHash('sha512').update(tgz).digest('base64')}`;
  const unpackedBytes = entries.reduce((sum, { content }) => sum + content.length, 0);
  return { name, tgz, pin: { name, integrity, bytes: tgz.length, unpackedBytes } };
}

export function tableOf(...packages: FakePackage[]): GpuTable {
  const pins = packages.map(({ pin }) => pin);
  return { 'linux-x64': { cuda: pins, vulkan: pins } };
}

type Answer = (request: IncomingMessage, response: ServerResponse, found: FakePackage) => void;

/** A registry on this machine. `sends` replaces how it sends a package. */
export async function startRegistry(packages: FakePackage[], sends: Answer = sendWhole) {
  const requests: { path: string; authorization: string | undefined; range: string | undefined }[] = [];
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    const { authorization, range } = request.headers;
    requests.push({ path, authorization, range });
    const wanted = packages.find(({ name }) => path.includes(`${name}.`) || path.endsWith(`%2f${name}`));
    if (!wanted) return void response.writeHead(404).end();
    if (path.endsWith('.tgz')) return sends(request, response, wanted);
    const dist = { tarball: `${address()}/files/${wanted.name}.tgz`, integrity: wanted.pin.integrity };
    response.end(JSON.stringify({ versions: { [RUNTIME_VERSION]: { dist } } }));
  });
  const address = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: address(),
    requests,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export function sendWhole(request: IncomingMessage, response: ServerResponse, { tgz }: FakePackage): void {
  const from = Number(/^bytes=(\d+)-/.exec(request.headers.range ?? '')?.[1] ?? 0);
  const headers = { 'content-length': tgz.length - from, etag: '"one"' };
  const range = { 'content-range': `bytes ${from}-${tgz.length - 1}/${tgz.length}` };
  response.writeHead(from > 0 ? 206 : 200, from > 0 ? { ...headers, ...range } : headers).end(tgz.subarray(from));
}

// Always the same, and not compressible.
function randomBytes(length: number): Buffer {
  const blocks: Buffer[] = [];
  for (let size = 0; size < length; size += 64) blocks.push(createHash('sha512').update(String(size)).digest());
  return Buffer.concat(blocks).subarray(0, length);
}
