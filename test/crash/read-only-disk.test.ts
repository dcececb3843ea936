import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { canInjectFaults, createDisk } from '../../quality/campaigns/disk-faults/inject-faults.ts';

const fixture = fileURLToPath(new URL('./fixtures/put-on-read-only-disk.ts', import.meta.url));
const ENDS_MS = 30_000;

it.skipIf(!canInjectFaults())(
  'refuses at once on a disk that became read-only, and removes the half file when it is mended',
  async () => {
    const temporary = mkdtempSync(join(tmpdir(), 'read-only-'));
    try {
      const args = [join(temporary, 'disk'), join(temporary, 'control')] as const;
      const { env } = createDisk(...args);
      const { stdout } = await promisify(execFile)(process.execPath, [fixture, ...args], {
        env: { ...process.env, ...env },
        timeout: ENDS_MS,
      });
      expect(JSON.parse(stdout)).toEqual({
        duringTheFall: 'EROFS',
        halfFiles: 1,
        readOnly: ['EROFS', 'EROFS'],
        mended: 'done',
        leftOver: [],
      });
    } finally {
      rmSync(temporary, { recursive: true, force: true });
    }
  },
);
