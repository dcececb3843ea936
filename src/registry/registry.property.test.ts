import fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';
import { onEachDatabase } from '../../test/support/databases.ts';
import { rounds } from '../../test/support/rounds.ts';
import { uuid } from '../kit/base/ids.ts';
import type { Database } from '../kit/db/index.ts';
import { Model } from './model-for-tests.ts';
import { itemsOf, newScope, openRegistry } from './registry-for-tests.ts';
import type { Viewer } from './schema.ts';

const user = fc.constantFrom(0, 1, 2);
const name = fc.constantFrom('a', 'b');
const definition = fc.constantFrom({ x: 1 }, { x: 2 }, { x: 1, y: 1 }, { y: 1, x: 1 }, 'text', [1]);
const aliases = fc.uniqueArray(fc.constantFrom('main', 'next', 'old'), { maxLength: 3 });
const notes = fc.option(fc.constantFrom('', 'n', 'm'), { nil: undefined });

const step = fc.oneof(
  fc.record({ do: fc.constant('create' as const), user, name, shared: fc.boolean(), definition, aliases }),
  fc.record({ do: fc.constant('version' as const), user, name, definition, notes, aliases }),
  fc.record({ do: fc.constant('aliases' as const), user, name, version: fc.integer({ min: 1, max: 4 }), aliases }),
  fc.record({ do: fc.constant('notes' as const), user, name, version: fc.integer({ min: 1, max: 4 }) }),
  fc.record({ do: fc.constant('share' as const), user, name, shared: fc.boolean() }),
  fc.record({ do: fc.constant('remove' as const), user, name }),
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

const statusOf = (attempt: Promise<unknown>): Promise<number> =>
  attempt.then(
    () => 200,
    (error: { status: number }) => error.status,
  );

onEachDatabase('the registry and a simple model of it', (test) => {
  let database: Database;
  beforeAll(async () => {
    database = await test.open();
    return () => database.close();
  });

  function openBoth() {
    const { registry } = openRegistry(database, uuid());
    const first = newScope();
    const viewers = [first, newScope(first.workspace_id), newScope(first.workspace_id)];
    const model = new Model();
    const viewerAt = (index: number) => viewers[index] ?? first;

    async function run(it: Step): Promise<void> {
      const viewer = viewerAt(it.user);
      const object = model.find(viewer.user_id, it.name);
      if (it.do === 'create') {
        const sharing = it.shared ? ('workspace' as const) : ('private' as const);
        const made = model.create(viewer.user_id, it.name, it.shared, it.definition, it.aliases);
        expect(await statusOf(registry.create(viewer, { ...it, sharing }))).toBe(made ? 200 : 409);
      } else if (it.do === 'version') {
        const attempt = registry.createVersion(viewer, it.name, it);
        if (!object) return void expect(await statusOf(attempt)).toBe(404);
        const expected = model.addVersion(object, it.definition, it.notes, it.aliases);
        expect(await attempt).toMatchObject(expected);
      } else if (it.do === 'aliases' || it.do === 'notes') {
        const changes = it.do === 'aliases' ? { aliases: it.aliases } : { notes: 'changed' };
        const attempt = registry.updateVersion(viewer, it.name, it.version, changes);
        const version = object?.versions[it.version - 1];
        expect(await statusOf(attempt)).toBe(version ? 200 : 404);
        if (!object || !version) return;
        if (it.do === 'aliases') model.setAliases(object, it.version, it.aliases);
        else version.notes = 'changed';
      } else if (it.do === 'share') {
        const attempt = registry.update(viewer, it.name, { sharing: it.shared ? 'workspace' : 'private' });
        if (!object) return void expect(await statusOf(attempt)).toBe(404);
        const mayNot = object.shared && !it.shared && object.owner !== viewer.user_id;
        expect(await statusOf(attempt)).toBe(mayNot ? 403 : model.share(object, it.shared) ? 200 : 409);
      } else {
        expect(await statusOf(registry.remove(viewer, it.name))).toBe(object ? 200 : 404);
        if (object) model.remove(object);
      }
    }

    /** The aliases from the history of their moves; each move must start where the one before ended. */
    async function replayMoves(viewer: Viewer, id: string): Promise<Map<string, number>> {
      const replayed = new Map<string, number>();
      for (const { alias, from_version, to_version } of (await registry.aliasMoves(viewer, id)).reverse()) {
        expect(from_version).toBe(replayed.get(alias) ?? null);
        if (to_version === null) replayed.delete(alias);
        else replayed.set(alias, to_version);
      }
      return replayed;
    }

    /** Every read of every user matches the model. */
    async function compare(): Promise<void> {
      for (const viewer of viewers) {
        const items = await itemsOf(
          await registry.list(viewer, {
            pageSize: 100,
            field: 'created_at',
            direction: 'asc',
            withDefinition: true,
          }),
        );
        const expected = model.visible(viewer.user_id);
        expect(items.map((item) => [item.name, item.sharing, item.version, item.aliases])).toEqual(
          expected.map((object) => [
            object.name,
            object.shared ? 'workspace' : 'private',
            object.versions.length,
            model.aliasesOf(object, object.versions.length),
          ]),
        );
        for (const object of expected) {
          const id = items[expected.indexOf(object)]?.id ?? '';
          for (const [index, { definition, notes }] of object.versions.entries()) {
            const version = index + 1;
            expect((await registry.read(viewer, id, { version })).value).toMatchObject({
              version,
              definition,
              notes,
              aliases: model.aliasesOf(object, version),
            });
          }
          expect(await replayMoves(viewer, id)).toEqual(object.aliases);
          for (const alias of ['main', 'next', 'old']) {
            const at = object.aliases.get(alias);
            const read = registry.read(viewer, id, { alias });
            if (at === undefined) expect(await statusOf(read)).toBe(404);
            else expect((await read).value.version).toBe(at);
          }
        }
      }
    }
    return { run, compare };
  }

  it('agree on every result and on the final state after any sequence of creates, versions, moves, clears, shares and deletes', async () => {
    const runs = fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25, size: 'max' }), async (steps) => {
      const both = openBoth();
      for (const one of steps) await both.run(one);
      await both.compare();
    });
    await fc.assert(runs, { numRuns: test.kind === 'sqlite' ? rounds(20, 50) : rounds(6, 15) });
  });
});
