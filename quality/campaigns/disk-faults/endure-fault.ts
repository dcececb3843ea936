import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Ask } from '../platform/ask.ts';
import { type Ground, kindNames, makeWrite, type Write } from '../writes/kinds.ts';
import { MODEL } from '../writes/prepare-ground.ts';
import { classifyAnswer } from '../writes/retry-write.ts';
import type { Disk, FaultName } from './inject-faults.ts';
import { judgeRefusal } from './judge-refusal.ts';
import type { Tally } from './tally.ts';

const LOOK_MS = 20;
const BACK_MS = 10_000;
const chat = { model: MODEL, messages: [{ role: 'user', content: 'hello' }] };

/** `chats` are the ids of requests that a model answered and that must be billed. */
export type Stored = { done: Write[]; refused: Write[]; chats: string[] };
type Endured = { ask: Ask; ground: Ground; disk: Disk; stored: Stored; tally: Tally };

/** A lasting fault: checks reads, refusals and their errors, /readyz, and the recovery afterwards. */
export async function endureFault(fault: FaultName, { ask, ground, disk, stored, tally }: Endured): Promise<void> {
  disk.fail(fault);
  // Two rounds: the first refusal may affect the second one.
  for (let round = 0; round < 2; round++) {
    const writes = kindNames.map((kind) => makeWrite(kind, `${kind}-${randomUUID()}`, ground));
    for (const write of writes) await expectRefusal(write);
    await expectAnswers();
  }
  const told = await ask('/readyz');
  if (told?.status !== 503 || !told.text.includes('mended'))
    tally.silent.push(`${fault}: ${told?.text ?? 'no answer'}`);
  const alive = await ask('/healthz');
  if (alive?.status !== 200) tally.ended.push(`${fault}: ${alive?.text ?? 'no answer'} at /healthz`);
  disk.mend();
  await expectRecovery();

  async function expectRefusal(write: Write): Promise<void> {
    const answer = await ask(write.path, write);
    if (answer && answer.status < 300) {
      // The fault may still allow some writes; they count like any other write.
      stored.done.push(write);
      return;
    }
    stored.refused.push(write);
    const complaint = judgeRefusal(write.path, answer);
    if (complaint) tally.untyped.push(`${fault}: ${complaint}`);
  }

  async function expectAnswers(): Promise<void> {
    const asked: [string, Parameters<Ask>[1]?][] = [
      [`/v2/prompts/${ground.promptId}`],
      [`/v1/conversations/${ground.conversationId}/history`],
      ['/v1/files'],
      ['/v1/models'],
      ['/v1/batch/jobs'],
      ['/v1/workflows'],
      ['/v1/chat/completions', paid(chat)],
      ['/v1/chat/completions', paid({ ...chat, stream: true })],
    ];
    for (const [path, options] of asked) {
      const answer = await ask(path, options);
      if (answer?.status !== 200)
        tally.unread.push(`${fault}: ${path} ${answer?.status} ${answer?.text.slice(0, 200)}`);
    }
  }

  function paid(body: object): Parameters<Ask>[1] {
    const id = randomUUID();
    stored.chats.push(id);
    return { body, headers: { 'x-request-id': id } };
  }

  async function expectRecovery(): Promise<void> {
    const endsAt = performance.now() + BACK_MS;
    for (const kind of kindNames) {
      const write = makeWrite(kind, `${kind}-${randomUUID()}`, ground);
      for (;;) {
        const answer = await ask(write.path, write);
        const outcome = classifyAnswer(answer);
        if (outcome === 'done' || outcome === 'done-before') {
          stored.done.push(write);
          break;
        }
        if (outcome !== undefined || performance.now() > endsAt) {
          tally.notBack.push(`${fault}: ${kind} ${answer?.status} ${answer?.text.slice(0, 200)}`);
          break;
        }
        await delay(LOOK_MS);
      }
    }
    const ready = await ask('/readyz');
    if (ready?.status !== 200) tally.notBack.push(`${fault}: /readyz ${ready?.text}`);
  }
}
