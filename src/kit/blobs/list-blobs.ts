import { opendir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isFileName, isShardName } from './blob-path.ts';
import { unlessMissing } from './errors.ts';

export async function* listBlobs(dir: string): AsyncGenerator<string> {
  const names = await readdir(dir).catch(unlessMissing);
  for (const shard of names?.filter(isShardName) ?? []) {
    for await (const { name } of await opendir(join(dir, shard))) {
      if (isFileName(name)) yield shard + name;
    }
  }
}
