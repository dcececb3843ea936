import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from '../kit/base/log.ts';
import type { RawReply } from '../kit/http/index.ts';
import { provideGuide } from './build-guide.ts';
import type { GuidePaths } from './guide-paths.ts';
import { type GuideFiles, type RequestHeaders, serveFile } from './serve-file.ts';
import { missingGuide } from './serve-page.ts';

export type Guide = {
  serve(path: string, headers: RequestHeaders): Promise<RawReply>;
  stop(): Promise<void>;
};

type Opened = { dir: string; files: GuideFiles };

/** Nothing happens until somebody opens the guide; the first reader of a checkout waits until it is built. */
export function openGuide({ paths, log }: { paths: GuidePaths; log: Logger }): Guide {
  const stopping = new AbortController();
  let opening: Promise<Opened | undefined> | undefined;

  async function open(): Promise<Opened | undefined> {
    try {
      const dir = await provideGuide(paths, stopping.signal);
      if (dir === undefined) return undefined;
      const files = JSON.parse(await readFile(join(dir, 'files.json'), 'utf8')) as Record<
        string,
        { etag: string; compressed: boolean }
      >;
      return { dir, files: new Map(Object.entries(files)) };
    } catch (error) {
      if (!stopping.signal.aborted) log.error({ err: error }, 'The guide could not be built.');
      return undefined;
    }
  }

  return {
    async serve(path, headers) {
      opening ??= open();
      const opened = await opening;
      return opened ? serveFile(opened.dir, opened.files, path, headers) : missingGuide();
    },
    async stop() {
      stopping.abort();
      await opening;
    },
  };
}
