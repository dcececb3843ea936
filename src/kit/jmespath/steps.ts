import { QueryTooExpensive } from './refusals.ts';

/** What is left of the work that one query may do. A step takes about 50 ns. */
export class Steps {
  #left: number;

  constructor(steps: number) {
    this.#left = steps;
  }

  spend(steps = 1): void {
    this.#left -= steps;
    if (this.#left < 0) throw new QueryTooExpensive();
  }
}

/** An expression as the value of a parameter: `&name`. */
export class Reference {
  readonly find: (value: unknown) => unknown;

  constructor(find: (value: unknown) => unknown) {
    this.find = find;
  }
}
