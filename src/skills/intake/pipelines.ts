import { commandsOf } from './logical-lines.ts';

/** Only the head of a long command is looked at: programs and their options stand first. */
export const HEAD_CHARACTERS = 400;

const WRAPPERS = String.raw`(?:(?:sudo|doas|exec|nohup|command|time|env|xargs)\b(?:\s+(?:-\S*|\w+=\S*|\d+|\{\}))*\s+)*`;
const SHELLS = '(?:busybox\\s+sh|(?:ba|z|k|da|a|fi|c|tc)?sh|pwsh|powershell)(?:\\.exe)?';
const INTERPRETERS = '(?:python[\\d.]*|perl|ruby|node|nodejs|php|deno|bun|lua|osascript)';
const OPENING = '^[\\s`"\'({]*';
const PATH = '(?:[\\w.]*/(?:[\\w.-]+/)*)?';

const RUNS_SHELL = new RegExp(`${OPENING}${WRAPPERS}${PATH}${SHELLS}(?![\\w./-])`, 'i');
// `| python3 -m json.tool` and `| node script.js` read data; only an interpreter without a program of its own runs it.
const RUNS_STDIN = new RegExp(`${OPENING}${WRAPPERS}${PATH}${INTERPRETERS}(?:\\s+-(?=\\s|$).*)?[\\s\`"')}]*$`, 'i');
const RUNS_EXPRESSION = /^\s*(?:[&.]\s*)?(?:iex|invoke-expression)\b/i;

/** Commands of a line that feed one another: `a | b; c | d` is [[a, b], [c, d]]. */
export function pipelinesOf(line: string): string[][] {
  if (!line.includes('|')) return [];
  return commandsOf(line)
    .flatMap((command) => command.split(/;|&&|\|\|/))
    .map((command) => command.split(/\|&?/))
    .filter((segments) => segments.length > 1);
}

/** Whether this command runs what it is given on its standard input. */
export function runsItsInput(command: string): boolean {
  const head = command.slice(0, HEAD_CHARACTERS).trimEnd();
  return RUNS_SHELL.test(head) || RUNS_STDIN.test(head) || RUNS_EXPRESSION.test(head);
}

/** Whether something that `isSource` knows flows into a command that runs it. */
export function flowsIntoShell(line: string, isSource: (command: string) => boolean): boolean {
  return pipelinesOf(line).some((segments) => {
    const source = segments.findIndex(isSource);
    return source >= 0 && segments.slice(source + 1).some(runsItsInput);
  });
}
