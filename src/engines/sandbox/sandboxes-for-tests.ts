import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import pino from 'pino';
import { createBubblewrapSandbox, createWasmSandbox, type Sandbox, type SandboxLimits } from './index.ts';

const MEBIBYTE = 1024 * 1024;

export const LIMITS: SandboxLimits = {
  timeMs: 15_000,
  memoryBytes: 128 * MEBIBYTE,
  outputBytes: 10_000,
  filesMax: 10,
  fileBytes: 4 * MEBIBYTE,
};

/** Where this machine has a bubblewrap that works and a Python of the system; else the tests on it are skipped. */
export const bubblewrap: string | undefined = [process.env.TRAMONTANE_TEST_BWRAP, '/usr/bin/bwrap'].find(works);

function works(path: string | undefined): boolean {
  const trial = ['--unshare-all', '--ro-bind', '/', '/', '/usr/bin/python3', '-c', ''];
  return path !== undefined && existsSync(path) && spawnSync(path, trial).status === 0;
}

export const kinds: Sandbox['kind'][] = bubblewrap ? ['wasm', 'bubblewrap'] : ['wasm'];

export function openForTests(kind: Sandbox['kind'], limits: Partial<SandboxLimits> = {}, concurrency = 2): Sandbox {
  const given = { limits: { ...LIMITS, ...limits }, concurrency, perTenantMax: concurrency };
  return kind === 'wasm'
    ? createWasmSandbox({ ...given, log: pino({ level: 'silent' }) })
    : createBubblewrapSandbox({ ...given, bubblewrap: bubblewrap ?? '', python: '/usr/bin/python3', paths: [] });
}

export const forever = new AbortController().signal;
