import { badRequest } from '../kit/http/index.ts';

const CHOICES_SHOWN = 10;

type Candidate = { id: string; name: string };

/** The candidate that an id or a name means, or the only one there is; never a guess between several. */
export function choose<T extends Candidate>(noun: string, candidates: T[], given: string | undefined): T {
  // An id says exactly one, even where somebody chose it as a name.
  const byId = candidates.filter(({ id }) => id === given);
  const byName = candidates.filter(({ name }) => given === undefined || name === given);
  const matching = byId.length > 0 ? byId : byName;
  const [only, ...others] = matching;
  if (only && others.length === 0) return only;
  if (only) {
    const which = given === undefined ? '' : ` named '${given}'`;
    const how = given === undefined ? 'Choose one' : 'Choose one by its id';
    throw badRequest(`There is more than one ${noun}${which}. ${how}: ${listed(matching)}.`);
  }
  if (candidates.length === 0) throw badRequest(`There is no ${noun} here.`);
  throw badRequest(`There is no ${noun} '${given}'. Choose one: ${listed(candidates)}.`);
}

function listed(candidates: Candidate[]): string {
  const shown = candidates.slice(0, CHOICES_SHOWN).map(({ id, name }) => `${name} (${id})`);
  const rest = candidates.length - shown.length;
  return shown.join(', ') + (rest > 0 ? ` and ${rest} more` : '');
}
