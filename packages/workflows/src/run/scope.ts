import { AsyncLocalStorage } from 'node:async_hooks';
import { Cancelled } from '../errors.ts';

/**
 * A region of workflow code that is cancelled as one. What waits in it is rejected with `Cancelled` at that moment,
 * and whatever it begins afterwards is rejected at once. A shield does not hear its surroundings: clean-up runs there.
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

  /** Its code has ended: the scope around it need not remember it, which counts in a loop of many. */
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

  /** The returned function takes the listener away again. */
  onCancel(listener: (error: Cancelled) => void): () => void {
    this.#onCancel.add(listener);
    return () => this.#onCancel.delete(listener);
  }
}

/** Which run's code is running, and in which of its scopes; undefined in steps and in the worker itself. */
export type Where = { scope: Scope; globals: DeterministicGlobals };

/** What workflow code gets when it asks for the time or for chance in JavaScript's own ways. */
export type DeterministicGlobals = { now(): number; random(): number; uuid(): string };

export const where = new AsyncLocalStorage<Where | undefined>();
