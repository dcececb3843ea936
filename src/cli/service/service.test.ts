import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryDir } from '../../../test/support/databases.ts';
import { CHECKOUT, run } from '../run-for-tests.ts';

const LAUNCHER = join(CHECKOUT, 'bin/tramontane.js');

/** An account of its own, with a service manager that notes what it is told and says that the service runs. */
function createHome(managerExits = 0) {
  const home = temporaryDir();
  const log = join(home, 'told');
  for (const name of ['systemctl', 'launchctl']) {
    writeFileSync(
      join(home, name),
      `#!/bin/sh\necho "${name} $*" >> ${log}\n[ "$1 $2" = "--user show" ] && printf 'ActiveState=active\\nSubState=running\\nMainPID=4711\\nUnitFileState=enabled\\n'\nexit ${managerExits}\n`,
    );
    chmodSync(join(home, name), 0o755);
  }
  const unit = join(home, '.config/systemd/user/tramontane.service');
  const told = () => (existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : []);
  return { home, unit, told, environment: { HOME: home, PATH: `${home}:${process.env.PATH}` } };
}

const print = (args: string[], environment = createHome().environment) =>
  run(['service', 'install', '--print', '--manager', 'systemd', ...args], environment);

/** The value of a directive, if it is given once. */
const directive = (unit: string, name: string) => {
  const values = [...unit.matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))].map(([, value]) => value);
  return values.length === 1 ? values[0] : values;
};

function has(program: string): boolean {
  try {
    execFileSync(program, ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

describe('service install', () => {
  it('writes a unit for this installation, shows it, and says what to do next', async () => {
    const { home, unit, told, environment } = createHome();
    const { code, stdout } = await run(['service', 'install', '--user', '--manager', 'systemd'], environment);
    expect(code).toBe(0);
    const text = readFileSync(unit, 'utf8');
    expect(stdout).toContain(text.trim());
    expect(stdout).toMatch(/Next:\n {2}systemctl --user daemon-reload\n {2}systemctl --user enable --now tramontane\n/);
    expect(directive(text, 'ExecStart')).toBe(`${process.execPath} --max-semi-space-size=16 ${LAUNCHER} start`);
    const dataDir = join(home, '.local/share/tramontane/data');
    expect(directive(text, 'Environment')).toContain(`TRAMONTANE_DATA_DIR=${dataDir}`);
    expect(existsSync(dataDir)).toBe(true);
    expect(told()).toEqual([]);
  });

  it('with --now also enables and starts it, and reports a manager that refuses', async () => {
    const { told, environment } = createHome();
    const args = ['service', 'install', '--user', '--manager', 'systemd', '--now', '--json'];
    const { stdout } = await run(args, environment);
    expect(JSON.parse(stdout)).toMatchObject({ started: true, scope: 'user', next: ['loginctl enable-linger'] });
    expect(told()).toEqual(['systemctl --user daemon-reload', 'systemctl --user enable --now tramontane']);
    const refused = await run(args, createHome(1).environment);
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringContaining('systemctl --user daemon-reload failed'),
    ]);
  });

  it('leaves a file that it did not write, unless it is forced, and replaces its own', async () => {
    const { unit, environment } = createHome();
    mkdirSync(join(unit, '..'), { recursive: true });
    writeFileSync(unit, '[Service]\nExecStart=/bin/true\n');
    const args = ['service', 'install', '--user', '--manager', 'systemd'];
    const { code, stderr } = await run(args, environment);
    expect([code, stderr]).toEqual([1, expect.stringContaining('was not written by this command')]);
    expect((await run([...args, '--force'], environment)).code).toBe(0);
    expect((await run([...args, '--port', '8080'], environment)).code).toBe(0);
    expect(readFileSync(unit, 'utf8')).toContain('Environment=TRAMONTANE_PORT=8080');
  });

  it('uses the data that is in the current directory, or a given directory', async () => {
    const dir = temporaryDir();
    mkdirSync(join(dir, '.tramontane'));
    writeFileSync(join(dir, '.tramontane/tramontane.db'), '');
    const args = ['service', 'install', '--print', '--user', '--manager', 'systemd'];
    const { stdout } = await run(args, createHome().environment, dir);
    expect(directive(stdout, 'Environment')).toContain(`TRAMONTANE_DATA_DIR=${join(dir, '.tramontane')}`);
    const given = await run([...args, '--data-dir', 'a b/50%'], createHome().environment, dir);
    expect(directive(given.stdout, 'Environment')).toContain(`"TRAMONTANE_DATA_DIR=${join(dir, 'a b/50%%')}"`);
    expect(directive(given.stdout, 'WorkingDirectory')).toBe(join(dir, 'a b'));
  });

  it('gives a stop more time than the drain takes, and does not restart a wrong configuration', async () => {
    const dir = temporaryDir();
    writeFileSync(join(dir, 'tramontane.yaml'), 'models: []\nserver:\n  drain_seconds: 90\n');
    const { stdout } = await print(['--system', '--config', join(dir, 'tramontane.yaml')]);
    expect(directive(stdout, 'TimeoutStopSec')).toBe('100');
    expect(directive(stdout, 'RestartPreventExitStatus')).toBe('2');
    expect(directive(stdout, 'KillMode')).toBe('mixed');
    expect(stdout).toContain(`Environment=TRAMONTANE_CONFIG=${join(dir, 'tramontane.yaml')}`);
  });

  it('restricts a system service as far as its data, its port and its sandbox allow', async () => {
    const usual = (await print(['--system'])).stdout;
    expect(directive(usual, 'StateDirectory')).toBe('tramontane tramontane/data');
    expect(directive(usual, 'CapabilityBoundingSet')).toBe('');
    expect(directive(usual, 'ProtectSystem')).toBe('strict');
    expect(directive(usual, 'ReadWritePaths')).toEqual([]);
    const low = (await print(['--system', '--port', '443', '--data-dir', '/home/me/data'])).stdout;
    expect(directive(low, 'AmbientCapabilities')).toBe('CAP_NET_BIND_SERVICE');
    expect(directive(low, 'ReadWritePaths')).toBe('/home/me/data');
    expect(directive(low, 'ProtectHome')).toBe('read-only');
    const dir = temporaryDir();
    writeFileSync(join(dir, 'tramontane.yaml'), 'models: []\ncode_interpreter:\n  engine: bubblewrap\n');
    const sandboxed = (await print(['--system', '--config', join(dir, 'tramontane.yaml')])).stdout;
    expect(sandboxed).not.toMatch(/RestrictNamespaces|ProtectKernelTunables/);
    expect((await print(['--system', '--no-hardening'])).stdout).not.toContain('ProtectSystem');
    for (const unit of [usual, low, sandboxed]) expect(unit).not.toMatch(/MemoryDenyWriteExecute|PrivateDevices/);
  });

  it('warns about variables that the service would not see', async () => {
    const { environment } = createHome();
    const secret = 'postgres://tramontane:secret@db.example.com/tramontane';
    const { stdout, stderr } = await print([], {
      ...environment,
      TRAMONTANE_DATABASE_URL: secret,
    } as typeof environment);
    expect(stderr).toMatch(/TRAMONTANE_DATABASE_URL: set here, but not for the service\. Put .+\.env/);
    expect(stdout + stderr).not.toContain('secret@');
  });

  it('writes below another root without asking anyone', async () => {
    const { told, environment } = createHome();
    const root = temporaryDir();
    const args = ['service', 'install', '--system', '--manager', 'systemd', '--root', root];
    expect((await run(args, environment)).code).toBe(0);
    expect(existsSync(join(root, 'etc/systemd/system/tramontane.service'))).toBe(true);
    expect([told(), (await run([...args, '--now'], environment)).code]).toEqual([[], 2]);
  });

  it.each([
    [['--user', '--system'], '--user and --system exclude each other'],
    [['--name', '../etc'], 'The name of a service'],
    [['--run-as', 'a b', '--system'], 'is not the name of an account'],
    [['--run-as', 'nobody-of-this-name', '--system'], process.getuid?.() === 0 ? 'useradd --system' : 'needs root'],
  ])('refuses %j with what to do', async (args, reason) => {
    const command = ['service', 'install', '--manager', 'systemd', ...args];
    const { code, stderr } = await run(command, createHome().environment);
    expect([code === 0, stderr]).toEqual([false, expect.stringContaining(reason)]);
  });

  it.skipIf(!has('systemd-analyze'))('writes units that systemd accepts', async () => {
    for (const [scope, ...more] of [
      ['--system', '--run-as', 'root'],
      ['--user'],
      ['--system', '--run-as', 'root', '--port', '80'],
    ]) {
      const { stdout } = await print([scope ?? '', '--name', 'probe', '--data-dir', '/srv/a b', ...more]);
      const file = join(temporaryDir(), 'probe.service');
      writeFileSync(file, stdout);
      const verify = ['verify', '--man=no', ...(scope === '--user' ? ['--user'] : []), file];
      let said = '';
      try {
        said = execFileSync('systemd-analyze', verify, {
          encoding: 'utf8',
          stdio: ['ignore', 'pipe', 'pipe'],
          env: { ...process.env, XDG_RUNTIME_DIR: temporaryDir() },
        });
      } catch (error) {
        said = String((error as { stderr: string }).stderr);
      }
      expect(said.split('\n').filter((line) => line.includes('probe'))).toEqual([]);
    }
  });
});

describe('service install for launchd', () => {
  const print = async (environment: Record<string, string>, ...args: string[]) =>
    (await run(['service', 'install', '--print', '--user', '--manager', 'launchd', ...args], environment)).stdout;

  it('writes a property list whose program reads the environment file and becomes the server', async () => {
    const { home, environment } = createHome();
    const list = await print(environment, '--data-dir', '/srv/<a> & b');
    expect(list).toContain('<string>/srv/&lt;a&gt; &amp; b</string>');
    expect(list).toContain('<key>ExitTimeOut</key>\n  <integer>40</integer>');
    const args = [...(/<array>([\s\S]*?)<\/array>/.exec(list)?.[1] ?? '').matchAll(/<string>([^<]*)<\/string>/g)].map(
      ([, text = '']) => text.replaceAll('&amp;', '&').replaceAll('&lt;', '<').replaceAll('&gt;', '>'),
    );
    expect(args.slice(5)).toEqual([process.execPath, '--max-semi-space-size=16', LAUNCHER, 'start']);
    const file = join(home, 'settings.env');
    writeFileSync(file, "TRAMONTANE_OWNER_EMAIL='a b@c'\n");
    const [shell = '', ...rest] = [...args.slice(0, 4), file, 'printenv', 'TRAMONTANE_OWNER_EMAIL'];
    expect(execFileSync(shell, rest, { encoding: 'utf8' })).toBe('a b@c\n');
  });
});

describe('service status and uninstall', () => {
  it('say whether it runs and which installation, and remove only the file', async () => {
    const { home, unit, told, environment } = createHome();
    const common = ['--user', '--manager', 'systemd', '--json'];
    const status = () => run(['service', 'status', ...common], environment);
    const before = await status();
    expect([before.code, JSON.parse(before.stdout)]).toMatchObject([1, { installed: false, active: null }]);
    await run(['service', 'install', ...common], environment);
    const running = await status();
    expect([running.code, JSON.parse(running.stdout)]).toMatchObject([
      0,
      { installed: true, is_this_installation: true, active: true, enabled: true, pid: 4711 },
    ]);
    writeFileSync(unit, readFileSync(unit, 'utf8').replaceAll(LAUNCHER, '/opt/old/bin/tramontane.js'));
    expect(JSON.parse((await status()).stdout)).toMatchObject({ is_this_installation: false });
    const removed = await run(['service', 'uninstall', ...common], environment);
    expect(JSON.parse(removed.stdout)).toEqual({ removed: true, file: unit });
    expect(told().slice(-2)).toEqual(['systemctl --user disable --now tramontane', 'systemctl --user daemon-reload']);
    expect([existsSync(unit), existsSync(join(home, '.local/share/tramontane/data'))]).toEqual([false, true]);
    const again = await run(['service', 'uninstall', ...common], environment);
    expect([again.code, JSON.parse(again.stdout).removed]).toEqual([0, false]);
  });
});
