import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { Refusal } from '../process/protocol.ts';
import type { Sampler } from './configure-sampler.ts';
import { cutShare, isMeasured, joinPlaces, type Part, tokensAt, type Wanted } from './cut-shares.ts';
import { createDrafter } from './draft-tokens.ts';
import type { Native } from './native.ts';
import { createPace, planBatch } from './plan-batch.ts';
import { createSlots, placePrompt, type Slot } from './sequences.ts';
import { chooseYielding, createTurns } from './take-turns.ts';
import type { Running, Task, Waiting } from './task.ts';

export type Scheduler = {
  submit(task: Task): void;
  cancel(task: Task): void;
  /** The number of the step that is being made, if one is. */
  stepInHand(): number | undefined;
};

/** What of the native side the scheduler needs. */
export type Runtime = Omit<Native, 'model' | 'device' | 'gpu' | 'createSampler' | 'entryOf'>;

export type SchedulerOptions = {
  sequences: number;
  scratchDirectory: string;
  /** For comparisons: one token in each step. */
  isPlain?: boolean;
  limits?: Partial<typeof LIMITS>;
  /** Called when choosing a token does not end: native code cannot be interrupted, only its process ended. */
  stuck?: (reason: string) => void;
};

const LIMITS = {
  /** A sequence that took longer to choose a token, and longer than others, rests as long as it took. */
  restAfterMs: 50,
  /** For one token, in time of the processor: a machine that is busy with other things is not the request's fault. */
  tokenMsMax: 2000,
  /** What a sequence may do before it is given back to somebody who waits. */
  turnMs: 250,
};
const SLOWER = 3;
const CHECK_MS = 200;
/** Tokens of a prompt whose chances are measured in one step: each takes milliseconds, in which all others wait. */
const MEASURED_AT_ONCE = 16;
/** With more answers at once a step has enough to do, and what one foresees delays the others. */
const DRAFTING_MAX = 2;
/** Threads in which Node runs native work; more at once would wait for each other. */
const SAMPLED_AT_ONCE = 4;

/**
 * Continuous batching: every step evaluates one token of each running answer and a slice of the prompts that are
 * being read. Tasks take turns by tenant for a free sequence, and one that has more than its share gives one back. `afterStep` is called when a step's tokens were all accepted.
 */
export function createScheduler(native: Runtime, options: SchedulerOptions, afterStep: () => void): Scheduler {
  const slots = createSlots(options.sequences);
  const pace = createPace();
  const limits = { ...LIMITS, ...options.limits };
  const turns = createTurns();
  const queue: Waiting[] = [];
  const sampling = new Map<Running, { at: number; cpuMs: number }>();
  const running = new Map<Task, Running>();
  const finished = new WeakSet<Task>();
  // Between steps only: while one runs, native threads use the task's sampler and sequence.
  const cancelled = new Set<Task>();
  let canDraft = options.isPlain !== true;
  let isLooping = false;
  let steps = 0;
  let clock = 0;

  async function loop(): Promise<void> {
    isLooping = true;
    const watch = setInterval(endStuck, CHECK_MS);
    while (queue.length > 0 || running.size > 0) {
      for (const task of cancelled) endTask(task);
      cancelled.clear();
      giveBack();
      await admit();
      await step();
      steps++;
      afterStep();
    }
    clearInterval(watch);
    isLooping = false;
  }

  async function admit(): Promise<void> {
    const copies = new Map<Slot, string | undefined>();
    while (queue.length > 0 && slots.some(({ isBusy }) => !isBusy)) {
      const next = nextWaiting();
      const placement = next && placePrompt(slots, next.tokens, next.task.workspace);
      if (!placement) break;
      queue.splice(queue.indexOf(next), 1);
      turns.took(next);
      const { task, tokens } = next;
      const sampler = next.sampler ?? (await openSampler(task));
      if (!sampler) continue;
      const { slot, copyFrom } = placement;
      slot.isBusy = true;
      // Only what is read anew can be measured.
      let common = Math.min(placement.common, task.promptMeter?.measured ?? placement.common);
      if (copyFrom) {
        if (!copies.has(copyFrom)) copies.set(copyFrom, await save(copyFrom));
        if (!(await load(slot, copyFrom, copies.get(copyFrom)))) common = 0;
      }
      if (common < slot.tokens.length && !native.truncate(slot.sequence, common)) common = 0;
      if (common === 0) native.clear(slot.sequence);
      slot.tokens = tokens.slice(0, common);
      slot.workspace = task.workspace;
      const remaining = tokens.length - common;
      const fresh = { draft: [], placedAt: performance.now(), tookMs: 0, restsUntil: 0 };
      running.set(task, { ...next, ...fresh, sampler, slot, evaluated: common, remaining });
      if (!next.sampler) task.placed(common);
    }
    for (const file of copies.values()) if (file !== undefined) rmSync(file, { force: true });
  }

  async function openSampler(task: Task): Promise<Sampler | undefined> {
    try {
      return await task.createSampler();
    } catch (error) {
      finished.add(task);
      task.fail(error);
      return undefined;
    }
  }

  function nextWaiting(): Waiting | undefined {
    const ready = queue.filter(({ task }) => !isWaitingForLeader(task));
    return turns.pick(ready, [...running.values()]);
  }

  /** Gives the sequence of one that has more than its share to one that waits; what it has written is read again later. */
  function giveBack(): void {
    const next = queue.length > 0 && slots.every(({ isBusy }) => isBusy) ? nextWaiting() : undefined;
    const now = performance.now();
    const had = [...running.values()].filter(({ placedAt }) => now - placedAt >= limits.turnMs);
    const yielding = next && chooseYielding(next, [...running.values()]);
    if (!yielding || !had.includes(yielding)) return;
    running.delete(yielding.task);
    yielding.slot.isBusy = false;
    yielding.slot.usedAt = ++clock;
    const { task, tenant, tokens, drafter, sampler } = yielding;
    queue.push({ task, tenant, tokens, drafter, sampler });
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
    const all = [...running.values()];
    const now = performance.now();
    const rested = all.filter(({ restsUntil }) => restsUntil <= now);
    const items = rested.length > 0 ? rested : all;
    if (items.length === 0) return;
    const answering = items.filter(({ remaining }) => remaining === 1);
    const drafted = proposeDrafts(answering);
    const shares = planBatch(items, pace.slice(answering.length > 0), native.batchTokens - drafted);
    for (const share of shares) if (isMeasured(share)) share.count = Math.min(share.count, MEASURED_AT_ONCE);
    const parts = shares.flatMap(cutShare);
    const startedAt = performance.now();
    try {
      const places = await native.evaluate(
        parts.map(({ item, position, count, wantsLogits }) => ({
          sequence: item.slot.sequence,
          position,
          tokens: tokensAt(item, position, count),
          wantsLogits,
        })),
      );
      const isReading = shares.some(({ wantsLogits }) => !wantsLogits);
      if (isReading)
        pace.observe(
          parts.reduce((sum, { count }) => sum + count, 0),
          performance.now() - startedAt,
        );
      for (const { item, count } of shares) advance(item, count);
      const wanted = parts.flatMap((part, index) => (part.wantsLogits ? [{ ...part, place: places[index] }] : []));
      for (const part of wanted) if (part.isMeasured) await measurePrompt(part);
      await sampleAll(joinPlaces(wanted.filter((part) => !part.isMeasured)));
      for (const { item } of shares) dropDraft(item);
    } catch (error) {
      // What the memory holds after a failed evaluation is unknown.
      for (const { item } of shares) end(item, error, true);
    }
  }

  /** Notes with each answer what it probably goes on with, and returns how many tokens that are. */
  function proposeDrafts(answering: Running[]): number {
    if (!canDraft || answering.length > DRAFTING_MAX) return 0;
    for (const item of answering) {
      item.draft = item.drafter.propose(item.tokens, item.sampler.guide, {
        tokensMax: native.contextTokens - item.tokens.length - 1,
        mayLookBack: answering.length === 1,
      });
    }
    return answering.reduce((sum, { draft }) => sum + draft.length, 0);
  }

  /** Forgets what was evaluated and then not chosen. */
  function dropDraft(item: Running): void {
    const { draft, slot } = item;
    item.draft = [];
    if (draft.length === 0 || !running.has(item.task) || slot.tokens.length === item.evaluated) return;
    slot.tokens.length = item.evaluated;
    if (native.truncate(slot.sequence, item.evaluated)) return;
    // A memory that cannot be cut is filled again, and no more is tried.
    canDraft = false;
    native.clear(slot.sequence);
    slot.tokens = [];
    item.evaluated = 0;
    item.remaining = item.tokens.length;
  }

  async function measurePrompt({ item, position, place }: Part & { place: number | undefined }): Promise<void> {
    const { promptMeter } = item.task;
    const token = item.tokens[position + 1];
    if (!promptMeter || place === undefined || token === undefined) return;
    if (!running.has(item.task) || cancelled.has(item.task)) return;
    try {
      const chances = await item.sampler.measure?.(place, token);
      promptMeter.measured = position + 1;
      if (chances) promptMeter.take(chances);
    } catch (error) {
      end(item, error);
    }
  }

  function advance(item: Running, count: number): void {
    const added = item.tokens.slice(item.evaluated, item.evaluated + count);
    for (const token of added) item.slot.tokens.push(token);
    // What is foreseen is in the memory, and counts once it was chosen.
    for (const token of item.draft) item.slot.tokens.push(token);
    item.evaluated += count;
    item.remaining -= count;
  }

  async function sampleAll(wanted: Wanted[]): Promise<void> {
    const [first, ...others] = wanted;
    if (!first) return;
    // The first look at a batch's logits sorts them in place, so it must not run beside another.
    await sampleOne(first);
    await Promise.all(
      Array.from({ length: SAMPLED_AT_ONCE }, async () => {
        for (let next = others.shift(); next; next = others.shift()) await sampleOne(next);
      }),
    );
    restSlow(wanted.map(({ item }) => item));
  }

  /** Only what is slow beside others rests: on a slow machine all are. */
  function restSlow(items: Running[]): void {
    const fastest = Math.min(...items.map(({ tookMs }) => tookMs));
    const now = performance.now();
    for (const item of items) {
      if (item.tookMs > limits.restAfterMs && item.tookMs > SLOWER * fastest) item.restsUntil = now + item.tookMs;
    }
  }

  /** Chooses a token, and as long as it is the one that was foreseen, the next one too. */
  async function sampleOne({ item, places }: Wanted): Promise<void> {
    const { draft } = item;
    item.tookMs = 0;
    let right = 0;
    for (const place of places) {
      const token = await chooseToken(item, place);
      if (token === undefined || token !== draft[right]) break;
      right++;
    }
    if (draft.length > 0) item.drafter.learn(right);
    // The last token that was chosen is not evaluated yet, even if it was foreseen.
    item.evaluated = Math.min(item.evaluated + right, item.tokens.length - 1);
  }

  async function chooseToken(item: Running, place: number): Promise<number | undefined> {
    if (!running.has(item.task) || cancelled.has(item.task)) return undefined;
    const at = performance.now();
    try {
      sampling.set(item, { at, cpuMs: cpuMs() });
      const token = await native.sample(place, item.sampler);
      item.tookMs = Math.max(item.tookMs, performance.now() - at);
      if (token < 0) throw new Error('No token fits.');
      const chances = item.task.measuresAnswer ? await item.sampler.measure?.(place, token) : undefined;
      if (!running.has(item.task)) return undefined;
      if (!item.task.accept(token, chances)) return void end(item);
      item.tokens.push(token);
      item.remaining = 1;
      return token;
    } catch (error) {
      end(item, error);
      return undefined;
    } finally {
      sampling.delete(item);
    }
  }

  /** Refuses what keeps all others waiting. Its sampler is in use by native code, so nothing is freed here. */
  function endStuck(): void {
    const now = performance.now();
    const used = cpuMs();
    const { tokenMsMax } = limits;
    for (const [item, since] of sampling) {
      if (now - since.at < tokenMsMax || used - since.cpuMs < tokenMsMax) continue;
      sampling.delete(item);
      item.task.fail(
        new Refusal(
          'grammar_too_slow',
          'Following the schema of this request takes seconds for each token, and others wait meanwhile. Simplify the schema: fewer alternatives and repetitions.',
        ),
      );
      // After the refusal has been sent.
      setImmediate(() => options.stuck?.(`choosing one token took ${Math.round(now - since.at)} ms`));
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
    item.sampler.dispose();
    if (error !== undefined) item.task.fail(error);
  }

  return {
    submit(task) {
      queue.push({ task, tenant: task.tenant, tokens: [...task.prompt], drafter: createDrafter() });
      if (!isLooping) void loop();
    },
    cancel(task) {
      const waiting = queue.findIndex((entry) => entry.task === task);
      // One that is neither waiting nor running is being placed; it ends before its first step.
      if (waiting < 0) return void (finished.has(task) || cancelled.add(task));
      for (const { sampler } of queue.splice(waiting, 1)) sampler?.dispose();
      finished.add(task);
    },
    stepInHand: () => (isLooping ? steps : undefined),
  };
}

function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
