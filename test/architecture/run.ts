import { findCycles, findUnlistedNetwork, findViolations } from './check-architecture.ts';
import { findStyleProblems } from './check-styles.ts';
import { readSources } from './read-sources.ts';

// Part of `npm run check`: the same rules as architecture.test.ts, without the wait for a test runner.
const sources = readSources(new URL('../..', import.meta.url).pathname);
const problems = [
  ...findViolations(sources),
  ...findUnlistedNetwork(sources),
  ...findStyleProblems(sources),
  ...findCycles(sources).map((cycle) => `cycle: ${cycle}`),
];
if (sources.size < 30) problems.push('hardly any source was found: the check would pass without looking');
for (const problem of problems) console.error(problem);
if (problems.length === 0) console.log(`No violation of the architecture in ${sources.size} files.`);
process.exitCode = problems.length > 0 ? 1 : 0;
