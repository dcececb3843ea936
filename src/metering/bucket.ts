import type { Clock } from '../kit/base/clock.ts';
import { storageProblemOf } from '../kit/base/storage-failure.ts';
import type { Database } from '../kit/db/index.ts';
import { type BucketRequest, EPSILON, updateBucket } from './store/buckets.ts';

/** How long a lease may be spent from memory. */
export const LEASE_MS = 250;
// The share of the level that is leased: large while the bucket is full, one request when it is nearly empty.
const SLICE_SHARE = 1 / 8;
// Smaller buckets are not leased: every request takes just what it needs.
const LEASED_CAPACITY_MIN = 2 / SLICE_SHARE;
// How long refusals are decided from memory; another process may have returned tokens since.
const REFUSAL_MEMORY_MS = 1000;

export type BucketSpec = {
  id: string;
  perMinute: number;
  /** The maximum that may be taken at once. */
  burst: number;
};

export type Verdict = { admitted: true } | { admitted: false; waitMs: number };

type Waiter = { amount: number; resolve: (verdict: Verdict) => void; reject: (error: unknown) => void };

type SyncRequest = Pick<BucketRequest, 'nowMs' | 'unused' | 'need' | 'want'>;

type BucketPorts = {
  database: Database;
  now: Clock;
  /** Called when the bucket holds something that `release` must return later. */
  onHolding: (bucket: Bucket) => void;
};

/**
 * This process's share of a token bucket in the database. A lease is spent from memory for LEASE_MS and returned less the
 * refill of that time, so over all processes no window sees more than the burst plus its refill.
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
  /** A refund, or a negative debt, for the next update of the database. */
  #owed = 0;
  #owedAtMs = 0;
  #level: number;
  #levelAtMs = Number.NEGATIVE_INFINITY;
  /** Granted from memory while the disk took no writes; part of the next update of the database. */
  #unwritten = 0;
  #unwrittenAtMs = 0;
  #isLeasing = false;

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

  /** A request larger than the bucket is charged a full bucket, and the rest once its usage is known. */
  chargeFor(amount: number): number {
    return Math.min(Math.ceil(amount), this.#capacity);
  }

  canTake(amount: number, nowMs: number): boolean {
    return amount <= this.#spendable(nowMs);
  }

  /** Only after `canTake`, without an await in between. */
  takeNow(amount: number): void {
    this.#left -= amount;
  }

  /** The wait for the amount, if memory suffices to refuse it; undefined when the database is needed. */
  refusalMs(amount: number, nowMs: number): number | undefined {
    if (this.#isLeasing || nowMs - this.#levelAtMs >= REFUSAL_MEMORY_MS) return undefined;
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
      if (!this.#isLeasing) void this.#lease();
    });
  }

  /** Undoes a take; `takenAtMs` determines the refill since then. */
  giveBack(amount: number, takenAtMs: number): void {
    this.#leasedAtMs = this.#left > 0 ? Math.min(this.#leasedAtMs, takenAtMs) : takenAtMs;
    this.#left += amount;
    this.#ports.onHolding(this);
  }

  /** Refunds in full what a request did not use, however long it took; a negative amount is a debt. */
  correct(amount: number): void {
    const nowMs = this.#ports.now();
    const fromLease = Math.min(Math.max(-amount, 0), this.#spendable(nowMs));
    this.#left -= fromLease;
    this.#owe(amount + fromLease, nowMs);
  }

  /** Scaled to the limit per minute: all of it for a full bucket, 0 when the next request must wait. */
  remainingPerMinute(nowMs: number): number {
    const held = Math.max(0, this.#levelNow(nowMs) + this.#spendable(nowMs));
    return Math.min(this.perMinute, Math.floor((held * this.perMinute) / this.#capacity + EPSILON));
  }

  /** Returns an expired lease, or any lease; false when something is still held. */
  async release(nowMs: number, everything = false): Promise<boolean> {
    if (this.#isLeasing) return false;
    const unused = !everything && this.#spendable(nowMs) > 0 ? 0 : this.#takeUnused(nowMs);
    const isNothing = unused === 0 && this.#owed === 0 && this.#unwritten === 0;
    if (!isNothing) await this.#sync({ nowMs, unused, need: 0, want: 0 });
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

  async #sync(request: SyncRequest): Promise<number> {
    const [owed, owedAtMs] = [this.#owed, this.#owedAtMs];
    this.#owed = 0;
    try {
      const { database } = this.#ports;
      const { granted, tokens } = await updateBucket(database.db, database.kind, {
        ...request,
        id: this.#id,
        capacity: this.#capacity,
        perMs: this.#perMs,
        owed: owed + this.#unwritten,
        owedAtMs: this.#unwritten === 0 ? owedAtMs : this.#unwrittenAtMs,
        share: request.want > 0 ? this.#share : 0,
      });
      this.#level = tokens;
      this.#levelAtMs = request.nowMs;
      this.#unwritten = 0;
      return granted;
    } catch (error) {
      if (this.#ports.database.kind === 'sqlite' && isDiskRefusal(error))
        return this.#grantFromMemory(request, owed, owedAtMs);
      // The update may have been committed: a debt may then count twice, but nothing is granted twice.
      this.#owe(Math.min(0, owed), owedAtMs);
      throw error;
    }
  }

  /** On SQLite no other process uses the bucket, so requests are admitted even while the disk is full. */
  #grantFromMemory({ nowMs, unused, need, want }: SyncRequest, owed: number, owedAtMs: number): number {
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

  /** One update at a time; requests that arrive meanwhile share the next one. */
  async #lease(): Promise<void> {
    this.#isLeasing = true;
    try {
      for (let first = this.#waiters[0]; first; first = this.#waiters[0]) {
        const waiters = this.#waiters.splice(0);
        const nowMs = this.#ports.now();
        const want = waiters.reduce((sum, { amount }) => sum + amount, 0);
        const request = { nowMs, unused: this.#takeUnused(nowMs), need: first.amount, want };
        const granted = await this.#sync(request).catch((error: unknown) => {
          for (const { reject } of waiters) reject(error);
        });
        if (granted !== undefined) this.#distribute(waiters, granted, nowMs);
      }
    } finally {
      this.#isLeasing = false;
    }
  }

  #distribute(waiters: Waiter[], granted: number, nowMs: number): void {
    let left = granted;
    const again: Waiter[] = [];
    for (const waiter of waiters) {
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
    // The remainder, even if too small for the last waiter, is this process's lease.
    this.#left = left;
    this.#leasedAtMs = nowMs;
    if (left > 0) this.#ports.onHolding(this);
  }
}

/** The disk certainly refused the write; when that is uncertain, nothing is granted. */
function isDiskRefusal(error: unknown): boolean {
  return ['full', 'read-only', 'failing'].includes(storageProblemOf(error) ?? '');
}
