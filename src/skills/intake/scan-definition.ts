import { setImmediate } from 'node:timers/promises';
import type { PackedDefinition } from '../pack-definition.ts';
import type { Finding } from './finding.ts';
import { scanFile, scanText } from './scan-file.ts';

/** All findings in a skill. Yields to the event loop between files. */
export async function scanDefinition({ stored, contents }: PackedDefinition): Promise<Finding[]> {
  const findings = [...scanText('description', stored.description), ...scanText('body', stored.body)];
  for (const [path, { sha256 }] of Object.entries(stored.files)) {
    await setImmediate();
    findings.push(...scanFile(path, contents.get(sha256) ?? Buffer.alloc(0)));
  }
  return findings;
}
