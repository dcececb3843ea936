import { findCitations } from './find-citations.ts';
import type { Requirement } from './requirements/requirement.ts';

interface Gaps {
  /** Promises of built rooms that no test cites. */
  uncited: Requirement[];
  /** Citations of ids that no requirement has. */
  unknownIds: { id: string; path: string }[];
  duplicateIds: string[];
  /** Rooms named by a requirement or as built that do not exist. */
  unknownRooms: string[];
}

/** Compares promises with the tests that cite them. `sources` are the test files with their text. */
export function findGaps(given: {
  requirements: readonly Requirement[];
  rooms: readonly string[];
  builtRooms: readonly string[];
  sources: readonly { path: string; text: string }[];
}): Gaps {
  const { requirements, rooms, builtRooms, sources } = given;
  const ids = requirements.map(({ id }) => id);
  const known = new Set(ids);
  const citations = sources.flatMap(({ path, text }) => citationsIn(path, text));
  const cited = new Set(citations.map(({ id }) => id));
  const named = new Set([...builtRooms, ...requirements.map(({ room }) => room)]);
  return {
    uncited: requirements.filter(({ id, room }) => builtRooms.includes(room) && !cited.has(id)),
    unknownIds: citations.filter(({ id }) => !known.has(id)),
    duplicateIds: [...new Set(ids.filter((id, index) => ids.indexOf(id) !== index))],
    unknownRooms: [...named].filter((room) => !rooms.includes(room)),
  };
}

function citationsIn(path: string, text: string): { id: string; path: string }[] {
  try {
    return findCitations(text).map((id) => ({ id, path }));
  } catch (cause) {
    throw new Error(`${path} cannot be read as TypeScript`, { cause });
  }
}
