import { AsyncLocalStorage } from 'node:async_hooks';
import { Cancelled } from '../errors.ts';

/**
 * A region of workflow code that is cancelled together: pending and later waits are rejected with `Cancelled`. A shield
 * ignores the cancellation of its parent, for clean-up.
 */
export class Scope {
  #reason: string | undefined;
  #onCancel = new Set<(error: Cancelled) => void>();
  #leave: () => void = () => undefined;

  constructor(parent?: Scope, isShield = false) {
    if (!parent || isShield) return;
    if (parent.#reason !== undefined) this.#reason = parent.#reason;
    else this.#leave = parent.onCancel((error) => this.cancel(error.message));
  }

  /** The code has ended: detaches from the parent, so that loops do not leak memory. */
  close(): void {
    this.#leave();
  }

  get isCancelled(): boolean {
    return this.#reason !== undefined;
  }

  cancel(reason: string): void {
    if (this.#reason !== undefined) return;
    this.#reason = reason;
    const listeners = [...this.#onCancel];
    this.#onCancel.clear();
    for (const listener of listeners) listener(new Cancelled(reason));
  }

  throwIfCancelled(): void {
    if (this.#reason !== undefined) throw new Cancelled(this.#reason);
  }

  /** Returns a function that removes the listener. */
  onCancel(listener: (error: Cancelled) => void): () => void {
    this.#onCancel.add(listener);
    return () => this.#onCancel.delete(listener);
  }
}

/** The current run and scope; undefined outside of workflow code. */
export type Where = Owner & { scope: Scope; globals: DeterministicGlobals };

/** Code that takes the errors that it left unhandled: a rejected promise, or what a callback threw. */
export type Owner = { onStray(error: unknown): void };

/** Deterministic time and random values for JavaScript's own functions. */
export type DeterministicGlobals = { now(): number; random(): number; uuid(): string };

export const where = new AsyncLocalStorage<Where | undefined>();
