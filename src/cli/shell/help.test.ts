import { describe, expect, it } from 'vitest';
import { COMMANDS } from '../commands.ts';
import { run, runJson, runProcess } from '../run-for-tests.ts';

const paths = COMMANDS.flatMap((entry) =>
  'commands' in entry
    ? entry.commands.map((command) => ({ command, path: [entry.name, command.name] }))
    : [{ command: entry, path: [entry.name] }],
);

describe('help', () => {
  it.each([[[]], [['--help']], [['-h']], [['help']]])('%j lists every command', async (args) => {
    const { code, stdout, stderr } = await run(args);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    for (const { path } of paths) expect(stdout).toContain(`  ${path.join(' ')} `);
  });

  it.each(paths.map(({ command, path }) => [path.join(' '), command, path] as const))(
    'of %s names its parameters, options and examples',
    async (_, command, path) => {
      const { code, stdout, stderr } = await run([...path, '--help']);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      for (const name of [...Object.keys(command.options ?? {}), 'json', 'help']) expect(stdout).toContain(`--${name}`);
      for (const { name } of command.parameters ?? []) expect(stdout).toContain(`<${name}>`);
      expect(command.examples.length).toBeGreaterThan(0);
      for (const example of command.examples) expect(stdout).toContain(`npx tramontane ${example}`);
    },
  );

  it('of a group lists its commands', async () => {
    const { code, stdout } = await run(['keys', '--help']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/keys create.*\n.*keys list.*\n.*keys revoke <id>/);
  });

  it('is the same as a word and as an option', async () => {
    const [word, option] = await Promise.all([run(['help', 'keys', 'create']), run(['keys', 'create', '--help'])]);
    expect(word.stdout).toBe(option.stdout);
  });

  it('needs neither a valid configuration nor a database', async () => {
    const { code } = await run(['start', '--help'], { TRAMONTANE_PORT: 'abc' });
    expect(code).toBe(0);
  });
});

describe('a wrong command line ends with code 2 and one line', () => {
  it.each([
    [['keyz'], "'tramontane keyz' is not a command. Did you mean 'tramontane keys'?"],
    [['keys', 'crate'], "'tramontane keys crate' is not a command. Did you mean 'tramontane keys create'?"],
    [['frobnicate'], "'tramontane frobnicate' is not a command. Commands: start, doctor,"],
    [['keys'], 'tramontane keys needs one of create, list, revoke.'],
    [['start', '--prot', '1'], '--prot is not an option of this command. Did you mean --port?'],
    [['start', '--xyzzy'], '--xyzzy is not an option of this command. See: tramontane start --help'],
    [['start', '-x'], '-x is not an option of this command.'],
    [['start', '--port'], '--port needs a value: --port <number>'],
    [['start', '--port', '--json'], '--port needs a value: --port <number>'],
    [['start', 'now'], "Unexpected argument 'now' after tramontane start."],
    [['keys', 'create', '--admin=yes'], '--admin takes no value.'],
    [['keys', 'revoke'], 'tramontane keys revoke needs <id>'],
    [['keys', 'revoke', 'a', 'b'], "Unexpected argument 'b' after tramontane keys revoke."],
    [['orgs', 'create'], 'An organization needs a name: tramontane orgs create --name <text>'],
    [['orgs', 'create', '--name', 'A', '--plan', 'gold'], "--plan must be one of free, team, enterprise, not 'gold'."],
    [
      ['orgs', 'set-plan', 'A', 'entreprise'],
      "<plan> must be one of free, team, enterprise, not 'entreprise'. Did you mean enterprise?",
    ],
    [['completion', 'tcsh'], "<shell> must be one of bash, zsh, fish, not 'tcsh'."],
    [['--json', 'keys'], 'Put the command before --json.'],
    [
      ['keys', 'create', '--expires', 'soon'],
      '--expires must be a day such as 2027-01-31 or a duration such as 30d or 12h',
    ],
    [['keys', 'create', '--expires', '2027-02-31'], "not '2027-02-31'"],
  ])('%j', async (args, message) => {
    const { code, stderr } = await run(args);
    expect(stderr).toContain(message);
    expect(stderr.trimEnd()).not.toContain('\n');
    expect(code).toBe(2);
  });

  it('and under --json the machine gets the reason on stdout', async () => {
    expect(await runJson(['keyz'])).toEqual({
      code: 2,
      data: { error: "'tramontane keyz' is not a command. Did you mean 'tramontane keys'?" },
    });
  });
});

it('the launcher passes words, output and exit code on', async () => {
  const here = await run(['keys']);
  expect(here.code).toBe(2);
  expect(await runProcess(['keys'])).toEqual(here);
});
