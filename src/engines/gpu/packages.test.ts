import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { GPU_SCOPE, gpuPackages, RUNTIME_VERSION } from './packages.ts';

const read = (name: string) => JSON.parse(readFileSync(resolve(import.meta.dirname, '../../..', name), 'utf8'));
const { devDependencies, overrides } = read('package.json');
const locked = read('package-lock.json').packages;
const pinned = Object.values(gpuPackages).flatMap((kinds) => Object.values(kinds).flat());

it('the pinned packages are those of the node-llama-cpp that is installed, and no other', () => {
  expect(devDependencies['node-llama-cpp']).toBe(RUNTIME_VERSION);
  const offered: Record<string, string> = locked['node_modules/node-llama-cpp'].optionalDependencies;
  const ofGpus = Object.keys(offered).filter((name) => /cuda|vulkan/.test(name));
  expect(pinned.map(({ name }) => `${GPU_SCOPE}/${name}`).sort()).toEqual(ofGpus.sort());
  for (const name of ofGpus) expect(offered[name]).toBe(RUNTIME_VERSION);
});

it('their digests are those of the lockfile, where it has them', () => {
  const both = pinned.filter(({ name }) => locked[`node_modules/${GPU_SCOPE}/${name}`]?.version === RUNTIME_VERSION);
  expect(both.length).toBeGreaterThan(0);
  for (const { name, integrity } of both)
    expect([name, integrity]).toEqual([name, locked[`node_modules/${GPU_SCOPE}/${name}`].integrity]);
});

it('a Mac gets its package, with Metal, by npm itself', () => {
  expect(Object.keys(overrides).filter((name) => name.includes('mac'))).toEqual([]);
  expect(locked[`node_modules/${GPU_SCOPE}/mac-arm64-metal`]).toMatchObject({
    version: RUNTIME_VERSION,
    os: ['darwin'],
    cpu: expect.arrayContaining(['arm64']),
  });
});
