import type { Caller } from './turn-lines.ts';

/** What all callers have, each organization and each key. */
export class CallerSums {
  all = 0;
  readonly #organizations = new Map<string, number>();
  readonly #keys = new Map<string, number>();

  add({ organization, key }: Caller, amount: number): void {
    this.all += amount;
    addTo(this.#organizations, organization, amount);
    addTo(this.#keys, key, amount);
  }

  ofOrganization({ organization }: Caller): number {
    return this.#organizations.get(organization) ?? 0;
  }

  ofKey({ key }: Caller): number {
    return this.#keys.get(key) ?? 0;
  }
}

function addTo(sums: Map<string, number>, name: string, amount: number): void {
  const sum = (sums.get(name) ?? 0) + amount;
  if (sum === 0) sums.delete(name);
  else sums.set(name, sum);
}
