import type { S3Client } from './client.ts';
import { elementsOf, textOf } from './xml.ts';

export type ListedBlob = { sha256: string; touchedAt: Date };

const KEY = /^([0-9a-f]{2})\/([0-9a-f]{62})$/;

/** The blobs below `dir`, which ends with a slash. */
export async function* listObjects(client: S3Client, dir: string, keysPerPage: number): AsyncGenerator<ListedBlob> {
  const prefix = client.bucket.prefix + dir;
  let token: string | undefined;
  do {
    const page = { 'max-keys': String(keysPerPage), ...(token === undefined ? {} : { 'continuation-token': token }) };
    const query = { 'list-type': '2', prefix, ...page };
    const answer = await client.send({ method: 'GET', query });
    const xml = (await answer?.body.text()) ?? '';
    for (const object of elementsOf(xml, 'Contents')) {
      const [, shard, rest] = KEY.exec(textOf(object, 'Key')?.slice(prefix.length) ?? '') ?? [];
      const touched = textOf(object, 'LastModified');
      if (shard && rest && touched) yield { sha256: shard + rest, touchedAt: new Date(touched) };
    }
    token = textOf(xml, 'IsTruncated') === 'true' ? textOf(xml, 'NextContinuationToken') : undefined;
  } while (token !== undefined);
}
