import { tenantErrors } from './errors.ts';

const CHOICES_SHOWN = 10;

type Candidate = { id: string; name: string };

/** The candidate with this id or name; with neither given, the only one. Several matches are refused. */
export function chooseByIdOrName<T extends Candidate>(noun: string, candidates: T[], given: string | undefined): T {
  // An id wins over another candidate's name that looks the same.
  const byId = candidates.filter(({ id }) => id === given);
  const byName = candidates.filter(({ name }) => given === undefined || name === given);
  const matching = byId.length > 0 ? byId : byName;
  const [only, ...others] = matching;
  if (only && others.length === 0) return only;
  if (only) {
    const which = given === undefined ? '' : ` named '${given}'`;
    const how = given === undefined ? 'Choose one' : 'Choose one by its id';
    throw tenantErrors.ambiguous_name(`There is more than one ${noun}${which}. ${how}: ${formatList(matching)}.`);
  }
  if (candidates.length === 0) throw tenantErrors.no_match(`There is no ${noun} here.`);
  throw tenantErrors.no_match(`There is no ${noun} '${given}'. Choose one: ${formatList(candidates)}.`);
}

function formatList(candidates: Candidate[]): string {
  const shown = candidates.slice(0, CHOICES_SHOWN).map(({ id, name }) => `${name} (${id})`);
  const rest = candidates.length - shown.length;
  return shown.join(', ') + (rest > 0 ? ` and ${rest} more` : '');
}
