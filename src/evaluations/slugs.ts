import { slugOf } from '../kit/base/slug.ts';
import { isUniqueViolation } from '../kit/db/index.ts';
import { evaluationErrors } from './errors.ts';
import { NAME_LENGTH_MAX } from './schema/common.ts';

const TRIES_MAX = 20;
const SUFFIX_LENGTH = 10;

/** Inserts under the given slug, or under the first free one that the name allows. */
export async function insertWithSlug<T>(
  { name, slug, fallback }: { name: string; slug: string | null | undefined; fallback: string },
  insert: (slug: string) => Promise<T>,
): Promise<T> {
  const base = slug ?? (slugOf(name, NAME_LENGTH_MAX - SUFFIX_LENGTH) || fallback);
  for (let number = 1; ; number++) {
    const tried = number === 1 ? base : `${base}-${number}`;
    try {
      return await insert(tried);
    } catch (error) {
      if (!isUniqueViolation(error)) throw error;
      if (slug || number === TRIES_MAX) throw evaluationErrors.slug_taken(tried);
    }
  }
}
