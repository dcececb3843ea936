const VARIABLE = 'TRAMONTANE_TEST_ASKED';

/**
 * What this machine can do. Starting a program to ask takes a second of a processor, so the processes of a run inherit
 * what the first one found out.
 */
export function askOnce(question: string, ask: () => boolean): boolean {
  const known = JSON.parse(process.env[VARIABLE] ?? '{}') as Record<string, boolean>;
  const answer = known[question] ?? ask();
  process.env[VARIABLE] = JSON.stringify({ ...known, [question]: answer });
  return answer;
}
