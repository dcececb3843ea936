import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { StartChild } from '../../bench/children.ts';
import { createAsk } from '../platform/ask.ts';
import { serveModel } from '../platform/serve-model.ts';
import { API_KEY, preparePlace, startPlatform } from '../platform/start-platform.ts';
import { findDamage } from '../writes/find-damage.ts';
import { countMarks } from '../writes/find-marks.ts';
import { kindNames, makeWrite, type Write } from '../writes/kinds.ts';
import { openPostgresTables } from '../writes/open-tables.ts';
import { configAt, prepareGround } from '../writes/prepare-ground.ts';
import { classifyAnswer, retryWrite } from '../writes/retry-write.ts';
import { openProxy } from './breakable-proxy.ts';
import { judgeRefusal } from './judge-refusal.ts';
import { newTally, type Tally } from './tally.ts';

const work = new URL('../platform/work.ts', import.meta.url);
/** Longer than cached keys are trusted. */
const AWAY_MS = 1500;
const BACK_MS = 20_000;
const LOOK_MS = 50;

type Options = {
  start: StartChild;
  dir: string;
  databaseUrl: string;
  rounds: number;
  progress: (text: string) => void;
};

/** Cuts a busy server off from PostgreSQL, and restores the connection. */
export async function loseDatabase({ start, dir, databaseUrl, rounds, progress }: Options): Promise<Tally> {
  const tally = newTally();
  const model = await serveModel();
  const url = new URL(databaseUrl);
  const proxy = await openProxy({ host: url.hostname, port: Number(url.port) });
  const through = new URL(databaseUrl);
  through.port = String(proxy.port);
  const env = { TRAMONTANE_DATABASE_URL: through.href };
  const place = await preparePlace(join(dir, 'place'), configAt(model.url), env);
  const { ask, close } = createAsk(place.port, API_KEY);
  const done: Write[] = [];
  try {
    const { child } = await startPlatform(start, place);
    const ground = await prepareGround(ask);
    const worker = start(work, { role: 'free', args: [`http://127.0.0.1:${place.port}`, API_KEY] });
    await worker.ask('ready');
    const newWrites = () => kindNames.map((kind) => makeWrite(kind, `${kind}-${randomUUID()}`, ground));
    for (let round = 1; round <= rounds; round++) {
      progress(`PostgreSQL is away for the ${round}. time`);
      const during = newWrites();
      const answers = during.map((write) => ask(write.path, write));
      await delay(Math.random() * LOOK_MS);
      await proxy.takeAway();
      await expectRefusals(during, await Promise.all(answers));
      await delay(AWAY_MS);
      const after = newWrites();
      await expectRefusals(after, await Promise.all(after.map((write) => ask(write.path, write))));
      const told = await ask('/readyz');
      if (told?.status !== 503 || !told.text.includes('mended')) tally.silent.push(told?.text ?? 'no answer');
      await proxy.giveBack();
      await expectReady();
      for (const write of [...during, ...after]) {
        const outcome = await retryWrite(ask, write);
        if (outcome === 'done' || outcome === 'done-before') done.push(write);
        else tally.notBack.push(`${write.kind} ${JSON.stringify(outcome).slice(0, 300)}`);
      }
    }
    if (child.hasEnded()) tally.ended.push(child.log());
    await child.end('SIGKILL');
    await inspect();
    return tally;
  } finally {
    close();
    model.close();
    await proxy.takeAway();
  }

  async function expectRefusals(writes: Write[], answers: Awaited<ReturnType<typeof ask>>[]): Promise<void> {
    for (const [index, write] of writes.entries()) {
      if (classifyAnswer(answers[index]) === 'done') continue;
      const complaint = judgeRefusal(write.path, answers[index]);
      if (complaint) tally.untyped.push(complaint);
    }
  }

  async function expectReady(): Promise<void> {
    const endsAt = performance.now() + BACK_MS;
    while ((await ask('/readyz'))?.status !== 200) {
      if (performance.now() > endsAt) return void tally.notBack.push('/readyz');
      await delay(LOOK_MS);
    }
  }

  async function inspect(): Promise<void> {
    const tables = openPostgresTables(databaseUrl);
    tally.half.push(...(await findDamage(tables.query)));
    const found = await countMarks(tables.query);
    for (const { kind, mark } of done) {
      const count = found[kind].get(mark) ?? 0;
      if (count !== 1) tally.lost.push(`${mark} is there ${count} times`);
    }
    await tables.close();
  }
}
