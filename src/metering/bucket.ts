import type { Clock } from '../kit/base/clock.ts';
import { storageProblemOf } from '../kit/base/storage-failure.ts';
import type { Database } from '../kit/db/index.ts';
import { type BucketAsk, EPSILON, updateBucket } from './store/buckets.ts';

/** How long a slice may be spent from memory. */
export const LEASE_MS = 250;
// An eighth of what is left: large while the bucket is full, and one request's worth when it is nearly empty.
const SLICE_SHARE = 1 / 8;
// Smaller buckets have no room for leases: every request takes what it needs, and the rest is only to be returned.
const LEASED_CAPACITY_MIN = 2 / SLICE_SHARE;
// For as long a refusal is answered from memory; somebody else may have returned something since.
const REFUSAL_MEMORY_MS = 1000;

export type BucketSpec = {
  id: string;
  perMinute: number;
  /** As much as may be taken at once after a pause. */
  burst: number;
};

export type Verdict = { admitted: true } | { admitted: false; waitMs: number };

type Waiter = { amount: number; resolve: (verdict: Verdict) => void; reject: (error: unknown) => void };

type TellAsk = Pick<BucketAsk, 'nowMs' | 'unused' | 'need' | 'want'>;

type BucketPorts = {
  database: Database;
  now: Clock;
  /** The bucket holds something that `release` must bring back sooner or later. */
  onHolding: (bucket: Bucket) => void;
};

/**
 * This process's part of a token bucket that lives in the database. What it leased it spends from memory for
 * LEASE_MS, and then gives back less what flowed into the bucket in the meantime. So all processes together hold
 * at most the capacity and LEASE_MS of refill, and that is the burst: in any window no more than the burst and
 * the refill of that window is ever taken.
 */
export class Bucket {
  readonly perMinute: number;
  readonly #id: string;
  readonly #perMs: number;
  readonly #capacity: number;
  readonly #share: number;
  readonly #ports: BucketPorts;
  readonly #waiters: Waiter[] = [];
  #left = 0;
  #leasedAtMs = Number.NEGATIVE_INFINITY;
  /** To be settled with the next word to the database: a refund, or a debt when it is negative. */
  #owed = 0;
  #owedAtMs = 0;
  #level: number;
  #levelAtMs = Number.NEGATIVE_INFINITY;
  /** What was granted from memory while the disk took no writes; the database hears of it with the next word. */
  #unwritten = 0;
  #unwrittenAtMs = 0;
  #isAsking = false;

  constructor({ id, perMinute, burst }: BucketSpec, ports: BucketPorts) {
    this.perMinute = perMinute;
    this.#id = id;
    this.#perMs = perMinute / 60_000;
    this.#ports = ports;
    const leasable = Math.floor(burst - this.#perMs * LEASE_MS);
    const isLeased = leasable >= LEASED_CAPACITY_MIN;
    this.#capacity = isLeased ? leasable : burst;
    this.#share = isLeased ? SLICE_SHARE : 0;
    this.#level = this.#capacity;
  }

  /** A request larger than the bucket is charged a full one, and owes the rest once it is known. */
  chargeFor(amount: number): number {
    return Math.min(Math.ceil(amount), this.#capacity);
  }

  canTake(amount: number, nowMs: number): boolean {
    return amount <= this.#spendable(nowMs);
  }

  /** Only after `canTake`, in the same turn. */
  takeNow(amount: number): void {
    this.#left -= amount;
  }

  /** How long the amount is out of reach, as far as this process remembers; undefined when it must ask. */
  refusalMs(amount: number, nowMs: number): number | undefined {
    if (this.#isAsking || nowMs - this.#levelAtMs >= REFUSAL_MEMORY_MS) return undefined;
    const level = this.#levelNow(nowMs);
    return level + this.#spendable(nowMs) < amount - EPSILON ? (amount - level) / this.#perMs : undefined;
  }

  async take(amount: number): Promise<Verdict> {
    const nowMs = this.#ports.now();
    if (this.canTake(amount, nowMs)) {
      this.takeNow(amount);
      return { admitted: true };
    }
    return new Promise((resolve, reject) => {
      this.#waiters.push({ amount, resolve, reject });
      if (!this.#isAsking) void this.#ask();
    });
  }

  /** As if it had not been taken; the time tells how much has flowed in since. */
  giveBack(amount: number, takenAtMs: number): void {
    this.#leasedAtMs = this.#left > 0 ? Math.min(this.#leasedAtMs, takenAtMs) : takenAtMs;
    this.#left += amount;
    this.#ports.onHolding(this);
  }

  /** What a request did not use is refunded in full, however long it took; what it used too much is a debt. */
  correct(amount: number): void {
    const nowMs = this.#ports.now();
    const fromLease = Math.min(Math.max(-amount, 0), this.#spendable(nowMs));
    this.#left -= fromLease;
    this.#owe(amount + fromLease, nowMs);
  }

  /** In the terms of a minute's limit: all of it when the bucket is full, nothing when the next request must wait. */
  remainingPerMinute(nowMs: number): number {
    const held = Math.max(0, this.#levelNow(nowMs) + this.#spendable(nowMs));
    return Math.min(this.perMinute, Math.floor((held * this.perMinute) / this.#capacity + EPSILON));
  }

  /** Gives back what has aged, or everything; false when there is more to come back for. */
  async release(nowMs: number, everything = false): Promise<boolean> {
    if (this.#isAsking) return false;
    const unused = !everything && this.#spendable(nowMs) > 0 ? 0 : this.#takeUnused(nowMs);
    const isSilent = unused === 0 && this.#owed === 0 && this.#unwritten === 0;
    if (!isSilent) await this.#tell({ nowMs, unused, need: 0, want: 0 });
    return this.#left === 0 && this.#owed === 0 && this.#unwritten === 0;
  }

  #spendable(nowMs: number): number {
    return this.#share > 0 && nowMs - this.#leasedAtMs < LEASE_MS ? this.#left : 0;
  }

  #levelNow(nowMs: number): number {
    if (this.#owed === 0) return this.#refill(this.#level, this.#levelAtMs, nowMs);
    const owedAtMs = Math.max(this.#owedAtMs, this.#levelAtMs);
    const level = this.#refill(this.#level, this.#levelAtMs, owedAtMs) + this.#owed;
    return this.#refill(level, owedAtMs, nowMs);
  }

  #refill(level: number, fromMs: number, toMs: number): number {
    return Math.min(this.#capacity, level + Math.max(0, toMs - fromMs) * this.#perMs);
  }

  #owe(amount: number, atMs: number): void {
    if (amount === 0) return;
    if (this.#owed === 0) this.#owedAtMs = atMs;
    this.#owed += amount;
    this.#ports.onHolding(this);
  }

  #takeUnused(nowMs: number): number {
    const refillMeanwhile = Math.max(0, nowMs - this.#leasedAtMs) * this.#perMs;
    const unused = this.#left > 0 ? Math.max(0, this.#left - refillMeanwhile) : 0;
    this.#left = 0;
    return unused;
  }

  async #tell(ask: TellAsk): Promise<number> {
    const [owed, owedAtMs] = [this.#owed, this.#owedAtMs];
    this.#owed = 0;
    try {
      const { database } = this.#ports;
      const { granted, tokens } = await updateBucket(database.db, database.kind, {
        ...ask,
        id: this.#id,
        capacity: this.#capacity,
        perMs: this.#perMs,
        owed: owed + this.#unwritten,
        owedAtMs: this.#unwritten === 0 ? owedAtMs : this.#unwrittenAtMs,
        share: ask.want > 0 ? this.#share : 0,
      });
      this.#level = tokens;
      this.#levelAtMs = ask.nowMs;
      this.#unwritten = 0;
      return granted;
    } catch (error) {
      if (this.#ports.database.kind === 'sqlite' && isDiskRefusal(error)) return this.#grant(ask, owed, owedAtMs);
      // Perhaps it was done and only the answer got lost: then a debt counts twice, but nothing is given twice.
      this.#owe(Math.min(0, owed), owedAtMs);
      throw error;
    }
  }

  /**
   * The same from memory: on SQLite nobody else takes from this bucket, and models answer also when the disk is full.
   * All of it is a debt that the database hears of later.
   */
  #grant({ nowMs, unused, need, want }: TellAsk, owed: number, owedAtMs: number): number {
    if (this.#unwritten === 0) this.#unwrittenAtMs = nowMs;
    const since = this.#refill(this.#level, this.#levelAtMs, Math.max(owedAtMs, this.#levelAtMs)) + owed;
    const level = Math.min(this.#capacity, this.#refill(since, Math.max(owedAtMs, this.#levelAtMs), nowMs) + unused);
    const granted = level < need - EPSILON ? 0 : Math.min(want, Math.floor(level + EPSILON));
    this.#level = level - granted;
    this.#levelAtMs = nowMs;
    this.#unwritten += owed + unused - granted;
    this.#ports.onHolding(this);
    return granted;
  }

  /** One question at a time; whoever comes meanwhile is part of the next one. */
  async #ask(): Promise<void> {
    this.#isAsking = true;
    try {
      for (let first = this.#waiters[0]; first; first = this.#waiters[0]) {
        const asking = this.#waiters.splice(0);
        const nowMs = this.#ports.now();
        const want = asking.reduce((sum, { amount }) => sum + amount, 0);
        const ask = { nowMs, unused: this.#takeUnused(nowMs), need: first.amount, want };
        const granted = await this.#tell(ask).catch((error: unknown) => {
          for (const { reject } of asking) reject(error);
        });
        if (granted !== undefined) this.#handOut(asking, granted, nowMs);
      }
    } finally {
      this.#isAsking = false;
    }
  }

  #handOut(asking: Waiter[], granted: number, nowMs: number): void {
    let left = granted;
    const again: Waiter[] = [];
    for (const waiter of asking) {
      if (left >= waiter.amount) {
        left -= waiter.amount;
        waiter.resolve({ admitted: true });
      } else if (this.#level + left >= waiter.amount - EPSILON) {
        again.push(waiter);
      } else {
        waiter.resolve({ admitted: false, waitMs: (waiter.amount - this.#level) / this.#perMs });
      }
    }
    this.#waiters.unshift(...again);
    // What was too little for the last of them stays here as well.
    this.#left = left;
    this.#leasedAtMs = nowMs;
    if (left > 0) this.#ports.onHolding(this);
  }
}

/** The disk did not take the write. Where nobody knows whether it did, nothing is granted. */
function isDiskRefusal(error: unknown): boolean {
  return ['full', 'read-only', 'failing'].includes(storageProblemOf(error) ?? '');
}
