/** Thrown by `spend`; never leaves this module. */
export const SPENT = Symbol('spent');

/** A step takes about 20 ns, so these are 20 ms for checking values and 50 ms for reading new schemas. */
const CHECK_STEPS = 1_000_000;
const PREPARE_STEPS = 2_500_000;
const STEPS_PER_VALUE = 6;
const STEPS_PER_CHARACTER = 1;
const ALLOWANCE_MAX = 2_000_000;
/** For patterns that only the runtime can match; they cannot be counted in steps. */
const TIMED_MS = 10;

/** What checking may cost: a fixed number of steps, and more in proportion to the values that are checked. */
export type Budget = {
  /** Throws `SPENT` when nothing is left. */
  spend(steps: number): void;
  /** For work that is done already. */
  charge(steps: number): void;
  isSpent(): boolean;
  /** Adds the allowance of a value, if it turns out to be needed. */
  allow(value: unknown): void;
  /** Milliseconds that are left for patterns with back references. */
  timedMs: number;
};

export const createBudget = (): Budget => new StepBudget(CHECK_STEPS);

/** For the schemas of one request. */
export const createPrepareBudget = (): Budget => new StepBudget(PREPARE_STEPS);

class StepBudget implements Budget {
  timedMs = TIMED_MS;
  #left: number;
  #allowance = ALLOWANCE_MAX;
  // Counting a value is work too, and most checks end long before they need more than the base.
  #uncounted: unknown[] | undefined;

  constructor(steps: number) {
    this.#left = steps;
  }

  spend(steps: number): void {
    this.#left -= steps;
    if (this.#left < 0) this.#extend();
  }

  charge(steps: number): void {
    this.#left -= steps;
  }

  isSpent(): boolean {
    return this.#left < 0;
  }

  allow(value: unknown): void {
    if (this.#uncounted) this.#uncounted.push(value);
    else this.#uncounted = [value];
  }

  #extend(): void {
    for (const value of this.#uncounted ?? []) {
      const more = Math.min(allowanceOf(value), this.#allowance);
      this.#allowance -= more;
      this.#left += more;
    }
    this.#uncounted = undefined;
    if (this.#left < 0) throw SPENT;
  }
}

function allowanceOf(value: unknown): number {
  let values = 0;
  let characters = 0;
  const open = [value];
  while (open.length > 0) {
    const next = open.pop();
    values += 1;
    if (typeof next === 'string') characters += next.length;
    else if (Array.isArray(next)) for (const item of next) open.push(item);
    else if (typeof next === 'object' && next !== null)
      for (const [key, inner] of Object.entries(next)) {
        characters += key.length;
        open.push(inner);
      }
  }
  return values * STEPS_PER_VALUE + characters * STEPS_PER_CHARACTER;
}
