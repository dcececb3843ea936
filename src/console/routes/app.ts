import { z } from 'zod';
import { type AnyRoute, raw, route } from '../../kit/http/index.ts';
import type { ConsoleApp } from '../app/open-app.ts';

/** The files of the app: public, the same for everybody. */
export function appRoutes(app: ConsoleApp): AnyRoute[] {
  // The app keeps its filters in the query string, and a page may be reloaded with them.
  const query = z.looseObject({});
  const common = { method: 'GET', permission: 'public', hidden: true, query } as const;
  return [
    route({
      ...common,
      path: '/console',
      operationId: 'console_redirect',
      summary: 'Redirect to the console',
      handler: () => raw('', 'text/plain', { location: '/console/' }, 302),
    }),
    route({
      ...common,
      path: '/console/*',
      operationId: 'console_app',
      summary: 'The console and its files',
      params: z.strictObject({ '*': z.string() }),
      handler: ({ params, headers }) => app.serve(params['*'], headers),
    }),
  ];
}
