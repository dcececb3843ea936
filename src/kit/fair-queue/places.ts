import type { Tenant } from './fair-queue.ts';

export type PlacesOptions = { total: number; perOrganization: number; perKey: number };

export type Places = {
  /** A place until the returned function is called; undefined when there is none for this tenant. */
  take(tenant: Tenant): (() => void) | undefined;
  taken(): number;
};

/** Bounds what stays open for long, such as sessions, in all and for each tenant. Nobody waits for a place. */
export function createPlaces({ total, perOrganization, perKey }: PlacesOptions): Places {
  const counts = new Map<string, number>();
  let taken = 0;
  const add = (id: string, by: number) => {
    const count = (counts.get(id) ?? 0) + by;
    if (count === 0) counts.delete(id);
    else counts.set(id, count);
  };
  return {
    take({ organization, key }) {
      const [org, own] = [`organization ${organization}`, `key ${key}`];
      if (taken >= total || (counts.get(org) ?? 0) >= perOrganization || (counts.get(own) ?? 0) >= perKey)
        return undefined;
      const change = (by: number) => {
        taken += by;
        add(org, by);
        add(own, by);
      };
      change(1);
      let isHeld = true;
      return () => {
        if (isHeld) change(-1);
        isHeld = false;
      };
    },
    taken: () => taken,
  };
}
