import type { Clock } from '../kit/base/clock.ts';
import type { Logger } from '../kit/base/log.ts';
import type { RawReply } from '../kit/http/index.ts';
import { type BuildNews, buildApp, findBuilt } from './build/build-app.ts';
import { type AppPlaces, hasSources } from './build/places.ts';
import { NOTICE_STYLE_PATH, type Notice, noticePage, noticeStyle } from './serve/notice-page.ts';
import { type AppFiles, readApp } from './serve/read-app.ts';
import { refuseApi, serveFile } from './serve/serve-file.ts';

export type AppProgress = BuildNews | { phase: 'ready'; elapsedMs: number } | { phase: 'failed' };

export type ConsoleApp = {
  serve(path: string, headers: { 'accept-encoding'?: unknown; 'if-none-match'?: string | undefined }): RawReply;
  /** Looks for the app and builds it where it must be; nobody waits for that. */
  start(): void;
  stop(): Promise<void>;
};

/** What a server without a console answers. */
export function closedApp(): ConsoleApp {
  return {
    serve(path) {
      refuseApi(path);
      return path === NOTICE_STYLE_PATH ? noticeStyle() : noticePage('off');
    },
    start: () => undefined,
    stop: async () => undefined,
  };
}

/** Serves the app that belongs to the sources. */
export function openApp(options: {
  places: AppPlaces;
  now: Clock;
  log: Logger;
  onProgress?: ((progress: AppProgress) => void) | undefined;
}): ConsoleApp {
  const { places, now, log, onProgress = () => undefined } = options;
  const stopping = new AbortController();
  let state: AppFiles | Notice = 'building';
  let opening: Promise<void> | undefined;

  async function open(): Promise<void> {
    const startedAtMs = now();
    let dir = await findBuilt(places);
    if (dir === undefined && hasSources(places)) {
      log.info('The console is being built.');
      dir = await buildApp(places, { signal: stopping.signal, onNews: onProgress });
      const elapsedMs = now() - startedAtMs;
      log.info({ elapsedMs }, 'The console is built.');
      onProgress({ phase: 'ready', elapsedMs });
    }
    if (dir === undefined) throw new Error(`There is neither a built console nor its sources in ${places.sources}.`);
    state = await readApp(dir);
  }

  function fail(error: unknown): void {
    state = 'failed';
    if (stopping.signal.aborted) return;
    log.error({ err: error }, 'The console could not be built. Try again with: npx tramontane console build');
    onProgress({ phase: 'failed' });
  }
  return {
    serve(path, headers) {
      refuseApi(path);
      if (path === NOTICE_STYLE_PATH) return noticeStyle();
      if (typeof state === 'string') return noticePage(state);
      const acceptEncoding = String(headers['accept-encoding'] ?? '');
      return serveFile(state, path, { acceptEncoding, ifNoneMatch: headers['if-none-match'] });
    },
    start() {
      opening ??= open().catch(fail);
    },
    async stop() {
      stopping.abort();
      await opening;
    },
  };
}
