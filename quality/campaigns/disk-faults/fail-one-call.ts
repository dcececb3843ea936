import { randomUUID } from 'node:crypto';
import type { Ask } from '../platform/ask.ts';
import { insist, judge } from '../writes/insist.ts';
import { type Ground, kindNames, makeWrite, type Write } from '../writes/kinds.ts';
import type { Stored } from './endure-fault.ts';
import type { Disk } from './inject-faults.ts';
import { judgeRefusal } from './judge-refusal.ts';
import type { Tally } from './tally.ts';

type Options = { ask: Ask; ground: Ground; disk: Disk; stored: Stored; tally: Tally };

/**
 * One write of everything at once, while the k-th call that reaches the disk fails and no other. Whatever was refused is
 * sent again with its key, and must then be there once. Returns whether the disk was reached that often.
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
    if (judge(answer) !== 'done') {
      const complaint = judgeRefusal(write.path, answer);
      if (complaint) tally.untyped.push(`call ${k}: ${complaint}`);
    }
    const outcome = judge(answer) ?? (await insist(ask, write));
    if (outcome === 'done' || outcome === 'done-before') stored.done.push(write);
    else tally.notBack.push(`call ${k}: ${write.kind} ${JSON.stringify(outcome).slice(0, 300)}`);
  }
}
