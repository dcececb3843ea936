import { type Family, families, matchFamily } from './families.ts';
import type { Model } from './model.ts';
import { meets, type Need } from './needs.ts';
import { publishedNames } from './published-names.ts';

/** Whether public names stand for models here; a map gives names or families to certain models, or to none. */
export type SampleAliases = boolean | Readonly<Record<string, string | false>>;

/** Which model a name means, by what is asked of it. */
type Row = { own: Model; byNeed: Partial<Record<Need, Model>> };

export type StandIns = {
  /** From memory. Without a need: the model for what the name is known for. */
  find(name: string, need: Need | undefined): Model | undefined;
  /** Listed names and their models. */
  published: ReadonlyMap<string, Model>;
};

/** Without a model for such content, the chat model decides what it does with it. */
const IN_CHATS: readonly Need[] = ['vision', 'audio'];

/** Clients choose the names, so the memory of them is bounded. */
const REMEMBERED_MAX = 1000;

/** Public names mean the first of these models that meets the need; `byName` are the names that models have already. */
export function createStandIns(
  models: readonly Model[],
  byName: ReadonlyMap<string, Model>,
  aliases: SampleAliases,
): StandIns {
  if (aliases === false) return { find: () => undefined, published: new Map() };
  const overrides = new Map(typeof aliases === 'object' ? Object.entries(aliases) : []);
  const ofFamily = new Map(
    families.map((family) => {
      const row = given(family.name);
      return [family, row === undefined ? standInsOf(family, models) : row];
    }),
  );

  /** Null where the map says that the name or family stands for nothing. */
  function given(name: string): Row | null | undefined {
    const target = overrides.get(name);
    if (target === undefined) return undefined;
    const own = target === false ? undefined : byName.get(target);
    return own ? { own, byNeed: {} } : null;
  }

  function look(name: string): Row | undefined {
    const exact = given(name);
    if (exact !== undefined) return exact ?? undefined;
    const family = matchFamily(name);
    return (family && ofFamily.get(family)) ?? undefined;
  }

  const rowOf = rememberNames(REMEMBERED_MAX, look);

  const published = new Map<string, Model>();
  for (const name of [...overrides.keys(), ...publishedNames]) {
    const row = byName.has(name) ? undefined : look(name);
    if (row) published.set(name, row.own);
  }
  return {
    published,
    find(name, need) {
      const row = rowOf(name);
      return row && ((need && row.byNeed[need]) ?? row.own);
    },
  };
}

/** The results of `look` that are not undefined; all are dropped once there are too many. */
export function rememberNames<V extends object>(
  max: number,
  look: (name: string) => V | undefined,
): (name: string) => V | undefined {
  const remembered = new Map<string, V>();
  return (name) => {
    const known = remembered.get(name);
    if (known) return known;
    const found = look(name);
    if (!found) return undefined;
    if (remembered.size >= max) remembered.clear();
    remembered.set(name, found);
    return found;
  };
}

function standInsOf({ needs }: Family, models: readonly Model[]): Row | undefined {
  const [first] = needs;
  const both = models.find((model) => meets(model, first) && meets(model, 'chat'));
  const chat = both ?? models.find((model) => meets(model, 'chat'));
  const byNeed: Row['byNeed'] = {};
  for (const need of needs) {
    const model = models.find((candidate) => meets(candidate, need));
    const standIn = need === 'chat' ? chat : IN_CHATS.includes(need) ? (model ?? chat) : model;
    if (standIn) byNeed[need] = standIn;
  }
  const own = byNeed[first] ?? byNeed.chat ?? needs.flatMap((need) => byNeed[need] ?? [])[0];
  return own && { own, byNeed };
}
