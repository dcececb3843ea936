import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';

const module = (path: string) => JSON.stringify(new URL(path, import.meta.url).href);
const START = `
  import { attributeErrors, stepCode } from ${module('./attribute-errors.ts')};
  import { where } from ${module('../run/scope.ts')};
  attributeErrors();
  const owner = (name) => ({ onStray: (error) => console.log(name, 'left', error.message) });
  const end = () => setTimeout(() => console.log('goes on'), 20);`;

/** What a program of its own prints and how it ends. */
function run(code: string, ...flags: string[]) {
  const args = [...flags, '--input-type=module', '--eval', START + code];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  return { status, said: stdout.trim().split('\n'), stderr };
}

it('gives an error to the run or step whose code left it, whoever listens beside', () => {
  const { status, said } = run(`
    process.on('unhandledRejection', () => console.log('heard'));
    where.run(owner('run'), () => Promise.reject(new Error('a rejection')));
    stepCode.run(owner('step'), () => setTimeout(() => { throw new Error('an exception') }, 1));
    end();`);
  expect({ status, said }).toEqual({
    status: 0,
    said: ['run left a rejection', 'heard', 'step left an exception', 'goes on'],
  });
});

it('leaves all other errors to Node, which ends the process', () => {
  for (const code of ["Promise.reject(new Error('mine'));", "setTimeout(() => { throw new Error('mine') }, 1);"]) {
    const { status, said, stderr } = run(`${code} end();`);
    expect({ status, said }).toEqual({ status: 1, said: [''] });
    expect(stderr).toMatch(/Error: mine\n(.|\n)*Node\.js v/);
  }
  const text = run("Promise.reject('no error'); end();");
  expect(text).toMatchObject({ status: 1, stderr: expect.stringContaining('ERR_UNHANDLED_REJECTION') });
});

it('leaves all other errors to the program, if it listens for them or Node is told to', () => {
  const listening = run(`
    process.on('unhandledRejection', ({ message }) => console.log('heard', message));
    process.on('uncaughtException', ({ message }) => console.log('heard', message));
    Promise.reject(new Error('a rejection'));
    setTimeout(() => { throw new Error('an exception') }, 1);
    end();`);
  expect(listening).toMatchObject({ status: 0, said: ['heard a rejection', 'heard an exception', 'goes on'] });
  const warning = run("Promise.reject(new Error('mine')); end();", '--unhandled-rejections=warn');
  expect(warning).toMatchObject({ status: 0, said: ['goes on'], stderr: expect.stringContaining('mine') });
});

it('is still told of errors of runs after one of the program', () => {
  const { said } = run(
    `Promise.reject(new Error('mine'));
    setTimeout(() => where.run(owner('run'), () => Promise.reject(new Error('a rejection'))), 10);
    end();`,
    '--unhandled-rejections=warn',
  );
  expect(said).toEqual(['run left a rejection', 'goes on']);
});
