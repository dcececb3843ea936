import { randomUUID } from 'node:crypto';
import type { Ask } from '../platform/ask.ts';
import { type Ground, kindNames, makeWrite, type Write } from '../writes/kinds.ts';
import { classifyAnswer, retryWrite } from '../writes/retry-write.ts';
import type { Stored } from './endure-fault.ts';
import type { Disk } from './inject-faults.ts';
import { judgeRefusal } from './judge-refusal.ts';
import type { Tally } from './tally.ts';

type Options = { ask: Ask; ground: Ground; disk: Disk; stored: Stored; tally: Tally };

/**
 * Sends one write of each kind at once while only the k-th call to the disk fails. A refused write is sent again with
 * its key and must then exist once. Returns whether the disk was called that often.
 */
export async function failOneCall(k: number, { ask, ground, disk, stored, tally }: Options): Promise<boolean> {
  disk.fail('broken', { skip: k - 1, times: 1 });
  const writes = kindNames.map((kind) => makeWrite(kind, `${kind}-${randomUUID()}`, ground));
  const answers = await Promise.all(writes.map((write) => ask(write.path, write)));
  const hasFailed = disk.failed() > 0;
  disk.mend();
  for (const [index, write] of writes.entries()) await finish(write, index);
  return hasFailed;

  async function finish(write: Write, index: number): Promise<void> {
    const answer = answers[index];
    if (classifyAnswer(answer) !== 'done') {
      const complaint = judgeRefusal(write.path, answer);
      if (complaint) tally.untyped.push(`call ${k}: ${complaint}`);
    }
    const outcome = classifyAnswer(answer) ?? (await retryWrite(ask, write));
    if (outcome === 'done' || outcome === 'done-before') stored.done.push(write);
    else tally.notBack.push(`call ${k}: ${write.kind} ${JSON.stringify(outcome).slice(0, 300)}`);
  }
}
