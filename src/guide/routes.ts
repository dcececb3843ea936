import { z } from 'zod';
import { type AnyRoute, route } from '../kit/http/index.ts';
import type { Guide } from './open-guide.ts';
import { redirect } from './serve-page.ts';

/** The guide: public, the same for everybody, and no part of the API document. */
export function guideRoutes(guide: Guide): AnyRoute[] {
  const common = { method: 'GET', permission: 'public', hidden: true, query: z.looseObject({}) } as const;
  return [
    route({
      ...common,
      path: '/docs/guide',
      operationId: 'guide_redirect',
      summary: 'Redirect to the guide',
      handler: () => redirect('/docs/guide/'),
    }),
    route({
      ...common,
      path: '/docs/guide/*',
      operationId: 'guide_page',
      summary: 'A page of the guide, or one of its files',
      params: z.strictObject({ '*': z.string() }),
      handler: ({ params, headers }) => guide.serve(params['*'], headers),
    }),
  ];
}
