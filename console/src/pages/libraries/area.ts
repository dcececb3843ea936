import { createRoute } from '@tanstack/react-router';
import { shellRoute } from '../../shell/root-route.tsx';

const pages = () => import('./routes.tsx');
const getParentRoute = () => shellRoute;

/** `passage` is a position; `quote` the beginning of a passage, which is all that a citation knows. Pages count from 1. */
export type DocumentSearch = { page?: number; passage?: number; quote?: string };
export type DocumentsSearch = { search?: string; sort?: string };
type FindSearch = { query?: string; mode?: string };

const path = '/libraries/$libraryId';

/** The pages are a chunk of their own, loaded on the first visit. */
export const librariesRoutes = [
  createRoute({ getParentRoute, path: '/libraries', staticData: { title: 'Libraries' } }).lazy(() =>
    pages().then(({ list }) => list),
  ),
  createRoute({
    getParentRoute,
    path,
    staticData: { title: 'Library' },
    validateSearch: ({ search, sort }): DocumentsSearch => ({ ...textOf({ search }), ...textOf({ sort }) }),
  }).lazy(() => pages().then(({ library }) => library)),
  createRoute({
    getParentRoute,
    path: `${path}/search`,
    staticData: { title: 'Search in a library' },
    validateSearch: ({ query, mode }): FindSearch => ({ ...textOf({ query }), ...textOf({ mode }) }),
  }).lazy(() => pages().then(({ search }) => search)),
  createRoute({ getParentRoute, path: `${path}/ask`, staticData: { title: 'Ask a library' } }).lazy(() =>
    pages().then(({ ask }) => ask),
  ),
  createRoute({ getParentRoute, path: `${path}/sharing`, staticData: { title: 'Sharing of a library' } }).lazy(() =>
    pages().then(({ sharing }) => sharing),
  ),
  createRoute({
    getParentRoute,
    path: `${path}/documents/$documentId`,
    staticData: { title: 'Document' },
    validateSearch: ({ page, passage, quote }): DocumentSearch => ({
      ...countOf({ page }),
      ...countOf({ passage }),
      ...textOf({ quote }),
    }),
  }).lazy(() => pages().then(({ document }) => document)),
] as const;

/** A search value that looks like a number arrives as one. */
function textOf<K extends string>(given: Record<K, unknown>): Partial<Record<K, string>> {
  return pick(given, (value) =>
    typeof value === 'string' || typeof value === 'number' ? String(value).trim() || undefined : undefined,
  );
}

function countOf<K extends string>(given: Record<K, unknown>): Partial<Record<K, number>> {
  return pick(given, (value) => (Number.isInteger(value) && (value as number) >= 0 ? (value as number) : undefined));
}

function pick<K extends string, V>(given: Record<K, unknown>, read: (value: unknown) => V | undefined) {
  const entries = Object.entries(given).flatMap(([name, value]) => {
    const known = read(value);
    return known === undefined ? [] : [[name, known]];
  });
  return Object.fromEntries(entries) as Partial<Record<K, V>>;
}
