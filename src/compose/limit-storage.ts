import type { AnyRoute, RequestContext } from '../kit/http/index.ts';
import type { Storage } from '../metering/index.ts';

/** Routes that store something pass the storage limits of their workspace and organization first. */
export function limitStorage(routes: AnyRoute[], storage: Storage): AnyRoute[] {
  return routes.map((route) => {
    if (!(route.stores || route.creates) || (route.surface ?? 'standard') !== 'standard') return route;
    const { handler } = route;
    const isUpload = route.upload !== undefined;
    return {
      ...route,
      handler: (context) =>
        storage.run(
          context.scope,
          () => bytesOf(context, isUpload),
          () => handler(context),
        ),
    };
  });
}

function bytesOf(context: RequestContext, isUpload: boolean): number {
  if (isUpload) return context.upload.content.bytes;
  const announced = Number(context.headers['content-length']);
  // A call from inside and a chunked body have no length.
  return announced >= 0 ? announced : Buffer.byteLength(JSON.stringify(context.body) ?? '');
}
