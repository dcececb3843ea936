import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { addressOf, listShots, readRoutes } from './pages.ts';

it('every route of the console has its picture', () => {
  const routes = readRoutes();
  expect(routes.length).toBeGreaterThan(55);
  expect(routes).toContain('/libraries/$libraryId/documents/$documentId');
  const shots = listShots();
  expect(new Set(shots.map(({ name }) => name)).size).toBe(shots.length);
  for (const route of routes) expect(shots.some((shot) => shot.route === route)).toBe(true);
});

it('no route is declared that is not read', () => {
  const sources = join(import.meta.dirname, '../../console/src');
  const declared = globSync('**/*.{ts,tsx}', { cwd: sources }).flatMap((file) =>
    [...readFileSync(join(sources, file), 'utf8').matchAll(/\bcreateRoute\(/g)].map(() => file),
  );
  const ofPages = declared.filter((file) => /^pages\/[^/]+\/area\.ts$/.test(file));
  expect(ofPages).toHaveLength(readRoutes().length);
  // The frame of all pages, and what is shown for any other address.
  const others = declared.filter((file) => !ofPages.includes(file));
  expect(others.toSorted()).toEqual(['shell/not-found-route.ts', 'shell/root-route.tsx']);
});

it('a route for which nothing was made is named', () => {
  const shot = { name: 'agent', route: '/agents/$agentId' };
  expect(addressOf(shot, { agentId: 'a b' })).toBe('/agents/a%20b');
  expect(() => addressOf(shot, {})).toThrow('Nothing was made for agentId of /agents/$agentId.');
});
