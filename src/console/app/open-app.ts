import type { Clock } from '../../kit/base/clock.ts';
import type { Logger } from '../../kit/base/log.ts';
import type { RawReply } from '../../kit/http/index.ts';
import { type AppPaths, hasSources } from './build/app-paths.ts';
import { type BuildProgress, buildApp, findBuilt } from './build/build-app.ts';
import { NOTICE_STYLE_PATH, type Notice, noticePage, noticeStyle } from './serve/notice-page.ts';
import { type AppFiles, readApp } from './serve/read-app.ts';
import { refuseApi, serveFile } from './serve/serve-file.ts';

export type AppProgress = BuildProgress | { phase: 'ready'; elapsedMs: number } | { phase: 'failed' };

export type ConsoleApp = {
  serve(path: string, headers: { 'accept-encoding'?: unknown; 'if-none-match'?: string | undefined }): RawReply;
  /** Loads the app in the background, and builds it first where needed. */
  start(): void;
  stop(): Promise<void>;
};

/** For a server without a console. */
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

/** Serves the build of the current sources, and a notice until there is one. */
export function openApp(options: {
  paths: AppPaths;
  now: Clock;
  log: Logger;
  onProgress?: ((progress: AppProgress) => void) | undefined;
}): ConsoleApp {
  const { paths, now, log, onProgress = () => undefined } = options;
  const stopping = new AbortController();
  let state: AppFiles | Notice = 'building';
  let opening: Promise<void> | undefined;

  async function open(): Promise<void> {
    const startedAtMs = now();
    let dir = await findBuilt(paths);
    if (dir === undefined && hasSources(paths)) {
      log.info('The console is being built.');
      dir = await buildApp(paths, { signal: stopping.signal, onProgress });
      const elapsedMs = now() - startedAtMs;
      log.info({ elapsedMs }, 'The console is built.');
      onProgress({ phase: 'ready', elapsedMs });
    }
    if (dir === undefined) throw new Error(`Neither a build nor the sources of the console are in ${paths.sources}.`);
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
