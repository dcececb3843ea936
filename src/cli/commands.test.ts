import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { COMMANDS } from './commands.ts';
import type { Command, CommandGroup, CommandTable } from './shell/command.ts';

type Entry = Command | CommandGroup;
type Folder = { name: string; declared: Entry[]; tests: string };

/** Every folder but shell/ holds commands. */
async function readFolders(): Promise<Folder[]> {
  const names = readdirSync(import.meta.dirname, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== 'shell')
    .map(({ name }) => name);
  return Promise.all(names.map(readFolder));
}

async function readFolder(name: string): Promise<Folder> {
  const dir = join(import.meta.dirname, name);
  const file = join(dir, 'command.ts');
  const exported: unknown[] = existsSync(file) ? Object.values(await import(file)) : [];
  const declared = exported.filter((value): value is Entry => typeof value === 'object');
  const tests = readdirSync(dir)
    .filter((test) => test.endsWith('.test.ts'))
    .map((test) => readFileSync(join(dir, test), 'utf8'));
  return { name, declared, tests: tests.join('\n') };
}

function commandsOf(entry: Entry): { path: string[]; command: Command }[] {
  return 'commands' in entry
    ? entry.commands.map((command) => ({ path: [entry.name, command.name], command }))
    : [{ path: [entry.name], command: entry }];
}

function findProblems(folders: Folder[], table: CommandTable): string[] {
  const problems: string[] = [];
  for (const { name, declared, tests } of folders) {
    if (declared.length === 0) problems.push(`${name}/ declares no command`);
    for (const entry of declared) {
      if (!table.includes(entry)) problems.push(`${entry.name} is not in commands.ts`);
      for (const { path, command } of commandsOf(entry)) {
        const words = path.join(' ');
        // startCli() runs `start`.
        const call = words === 'start' ? /startCli\(/ : new RegExp(`'${path.join(`',\\s*'`)}'`);
        if (!call.test(tests)) problems.push(`no test in ${name}/ runs ${words}`);
        if (!command.examples.some((example) => `${example} `.startsWith(`${words} `)))
          problems.push(`${words} has no example`);
      }
    }
  }
  const declared = new Set(folders.flatMap((folder) => folder.declared));
  for (const entry of table) if (!declared.has(entry)) problems.push(`${entry.name} has no folder`);
  return problems;
}

describe('every command', () => {
  it('has a folder, a line in the list, a test that runs it and an example', async () => {
    const folders = await readFolders();
    expect(folders.length).toBeGreaterThan(20);
    expect(findProblems(folders, COMMANDS)).toEqual([]);
  });

  it('is reported if one of them is missing', () => {
    const command = { name: 'ping', summary: 'ping', examples: ['ping'], run: async () => 0 as const };
    const group = { name: 'pings', summary: 'pings', commands: [{ ...command, name: 'all' }] };
    const folders = [
      { name: 'ping', declared: [command], tests: '' },
      { name: 'pings', declared: [group], tests: "run(['pings', 'all'])" },
      { name: 'empty', declared: [], tests: '' },
    ];
    expect(findProblems(folders, [group, { ...command, name: 'pong' }])).toEqual([
      'ping is not in commands.ts',
      'no test in ping/ runs ping',
      'pings all has no example',
      'empty/ declares no command',
      'pong has no folder',
    ]);
  });
});
