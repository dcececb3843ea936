import { mkdir, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { argv, stdout } from 'node:process';
import { writeManifest } from './write-manifest.ts';
import { writeReference } from './write-reference.ts';
import { writeSite } from './write-site.ts';

// `npm run docs:site`: the guide as files for any host. With --served as a server keeps it: compressed, and without the
// reference, which every server has itself.
const root = join(import.meta.dirname, '..');
const isServed = argv.includes('--served');
const target = resolve(argv.slice(2).find((given) => !given.startsWith('--')) ?? 'site');
const startedAt = performance.now();
await rm(target, { recursive: true, force: true });
await mkdir(target, { recursive: true });
const { pages } = await writeSite(root, target);
if (isServed) await writeManifest(target);
else await writeReference(root, target);
const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
stdout.write(`${pages} pages in ${seconds} s: ${target}\n`);
