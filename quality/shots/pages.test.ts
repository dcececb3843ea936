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

it('a route for which nothing was made is named', () => {
  const shot = { name: 'agent', route: '/agents/$agentId' };
  expect(addressOf(shot, { agentId: 'a b' })).toBe('/agents/a%20b');
  expect(() => addressOf(shot, {})).toThrow('Nothing was made for agentId of /agents/$agentId.');
});
