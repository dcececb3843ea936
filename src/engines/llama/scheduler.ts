import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Native, Sampler } from './native.ts';
import { createPace, planBatch } from './plan-batch.ts';
import { createSlots, placePrompt, type Slot } from './sequences.ts';

/** One answer in the making, as the scheduler sees it. */
export type Task = {
  prompt: number[];
  /** Another answer to the same prompt, evaluated first so that this one can copy it. */
  leader: Task | undefined;
  sampler: Sampler;
  /** Takes the next token and says whether to go on. */
  accept(token: number): boolean;
  fail(error: unknown): void;
  /** Called once, when a sequence was found: how many tokens of the prompt were there already. */
  placed(cachedTokens: number): void;
};

type Running = { task: Task; slot: Slot; tokens: number[]; evaluated: number; remaining: number };

export type Scheduler = {
  submit(task: Task): void;
  cancel(task: Task): void;
  /** The number of the step that is being made, if one is. */
  stepInHand(): number | undefined;
};

/** What of the native side the scheduler needs. */
export type Runtime = Omit<Native, 'model' | 'contextTokens' | 'createSampler'>;

export type SchedulerOptions = { sequences: number; scratchDirectory: string };

/**
 * Continuous batching: every step evaluates one token of each running answer and a slice of the prompts that are
 * being read. Tasks wait in order for a free sequence. `afterStep` is called when a step's tokens were all accepted.
 */
export function createScheduler(native: Runtime, options: SchedulerOptions, afterStep: () => void): Scheduler {
  const slots = createSlots(options.sequences);
  const pace = createPace();
  const queue: Task[] = [];
  const running = new Map<Task, Running>();
  const finished = new WeakSet<Task>();
  // Between steps only: while one runs, native threads use the task's sampler and sequence.
  const cancelled = new Set<Task>();
  let isLooping = false;
  let steps = 0;
  let clock = 0;

  async function loop(): Promise<void> {
    isLooping = true;
    while (queue.length > 0 || running.size > 0) {
      for (const task of cancelled) endTask(task);
      cancelled.clear();
      await admit();
      await step();
      steps++;
      afterStep();
    }
    isLooping = false;
  }

  async function admit(): Promise<void> {
    const copies = new Map<Slot, string | undefined>();
    for (let index = 0; index < queue.length; ) {
      const task = queue[index];
      if (!task || slots.every(({ isBusy }) => isBusy)) break;
      if (isWaitingForLeader(task)) {
        index++;
        continue;
      }
      const placement = placePrompt(slots, task.prompt);
      if (!placement) break;
      queue.splice(index, 1);
      const { slot, copyFrom } = placement;
      slot.isBusy = true;
      let common = placement.common;
      if (copyFrom) {
        if (!copies.has(copyFrom)) copies.set(copyFrom, await save(copyFrom));
        if (!(await load(slot, copyFrom, copies.get(copyFrom)))) common = 0;
      }
      if (common < slot.tokens.length && !native.truncate(slot.sequence, common)) common = 0;
      if (common === 0) native.clear(slot.sequence);
      slot.tokens = task.prompt.slice(0, common);
      const tokens = [...task.prompt];
      running.set(task, { task, slot, tokens, evaluated: common, remaining: tokens.length - common });
      task.placed(common);
    }
    for (const file of copies.values()) if (file !== undefined) rmSync(file, { force: true });
  }

  /** A follower waits while its leader still reads the prompt that both begin with. */
  function isWaitingForLeader({ leader }: Task): boolean {
    if (!leader || finished.has(leader)) return false;
    const state = running.get(leader);
    return !state || state.remaining > 1;
  }

  async function save(slot: Slot): Promise<string | undefined> {
    const file = join(options.scratchDirectory, `${slot.sequence}.state`);
    try {
      await native.saveSequence(slot.sequence, file, slot.tokens);
      return file;
    } catch {
      // No room for the copy: the prompt is evaluated again instead.
      return undefined;
    }
  }

  async function load(slot: Slot, from: Slot, file: string | undefined): Promise<boolean> {
    if (file === undefined) return false;
    try {
      await native.loadSequence(slot.sequence, file, from.tokens.length + 1);
      slot.tokens = [...from.tokens];
      return true;
    } catch {
      return false;
    }
  }

  async function step(): Promise<void> {
    const items = [...running.values()];
    if (items.length === 0) return;
    const isAnswering = items.some(({ remaining }) => remaining === 1);
    const shares = planBatch(items, pace.sliceTokens(isAnswering), native.batchTokens);
    const startedAt = performance.now();
    try {
      const places = await native.evaluate(
        shares.map(({ item, count, wantsLogits }) => ({
          sequence: item.slot.sequence,
          position: item.evaluated,
          tokens: item.tokens.slice(item.evaluated, item.evaluated + count),
          wantsLogits,
        })),
      );
      pace.observe(
        shares.reduce((sum, { count }) => sum + count, 0),
        performance.now() - startedAt,
      );
      for (const { item, count } of shares) advance(item, count);
      await sampleAll(
        shares.flatMap(({ item, wantsLogits }, index) => (wantsLogits ? [{ item, place: places[index] }] : [])),
      );
    } catch (error) {
      // What the memory holds after a failed evaluation is unknown.
      for (const { item } of shares) end(item, error, true);
    }
  }

  function advance(item: Running, count: number): void {
    const added = item.tokens.slice(item.evaluated, item.evaluated + count);
    for (const token of added) item.slot.tokens.push(token);
    item.evaluated += count;
    item.remaining -= count;
  }

  async function sampleAll(wanted: { item: Running; place: number | undefined }[]): Promise<void> {
    const [first, ...others] = wanted;
    if (!first) return;
    // The first look at a batch's logits sorts them in place, so it must not run beside another.
    await sampleOne(first);
    await Promise.all(others.map(sampleOne));
  }

  async function sampleOne({ item, place }: { item: Running; place: number | undefined }): Promise<void> {
    if (place === undefined || !running.has(item.task)) return;
    try {
      const token = await native.sample(place, item.task.sampler);
      if (token < 0) throw new Error('No token fits.');
      if (!running.has(item.task)) return;
      if (!item.task.accept(token)) return end(item);
      item.tokens.push(token);
      item.remaining = 1;
    } catch (error) {
      end(item, error);
    }
  }

  function endTask(task: Task): void {
    const item = running.get(task);
    if (item) end(item);
  }

  function end(item: Running, error?: unknown, forget = false): void {
    if (!running.delete(item.task)) return;
    finished.add(item.task);
    item.slot.isBusy = false;
    item.slot.usedAt = ++clock;
    if (forget) {
      native.clear(item.slot.sequence);
      item.slot.tokens = [];
    }
    item.task.sampler.dispose();
    if (error !== undefined) item.task.fail(error);
  }

  return {
    submit(task) {
      queue.push(task);
      if (!isLooping) void loop();
    },
    cancel(task) {
      const waiting = queue.indexOf(task);
      if (waiting >= 0) {
        queue.splice(waiting, 1);
        finished.add(task);
        task.sampler.dispose();
      }
      if (running.has(task)) cancelled.add(task);
    },
    stepInHand: () => (isLooping ? steps : undefined),
  };
}
