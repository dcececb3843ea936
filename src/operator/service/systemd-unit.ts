import { CommandFailure } from '../command-failure.ts';
import { isInside, MARK, type ServiceFacts } from './service-facts.ts';

const HOMES = ['/home', '/root', '/run/user'];
const PRIVILEGED_PORTS = 1024;

/** A unit for this installation. */
export function systemdUnit(facts: ServiceFacts): string {
  const { name, scope, account, program, stateDirectory } = facts;
  const isSystem = scope === 'system';
  return [
    `# ${MARK}. Run it again after an upgrade or a move; changes belong into: systemctl ${isSystem ? '' : '--user '}edit ${name}`,
    '[Unit]',
    'Description=Tramontane AI platform',
    ...(isSystem ? ['After=network-online.target', 'Wants=network-online.target'] : []),
    'StartLimitIntervalSec=300',
    'StartLimitBurst=10',
    '',
    '[Service]',
    'Type=exec',
    `ExecStart=${program.map(quoteWord).join(' ')}`,
    `WorkingDirectory=${escapePath(facts.workingDir)}`,
    ...Object.entries(facts.variables).map(([key, value]) => `Environment=${quoteWord(`${key}=${value}`)}`),
    '# Secrets and further settings, as NAME=value lines, readable by the owner only. It may be absent.',
    `EnvironmentFile=-${escapePath(facts.environmentFile)}`,
    ...(isSystem ? [`User=${account}`] : []),
    ...(stateDirectory ? [`StateDirectory=${stateDirectory} ${stateDirectory}/data`, 'StateDirectoryMode=0700'] : []),
    'UMask=0077',
    'Restart=on-failure',
    'RestartSec=2',
    '# The configuration is wrong: trying again does not help.',
    'RestartPreventExitStatus=2',
    '# Longer than server.drain_seconds. Only the server gets the signal: it ends its engines after the last request.',
    `TimeoutStopSec=${facts.stopSeconds}`,
    'KillMode=mixed',
    '# An engine that runs out of memory is started again by the server.',
    'OOMPolicy=continue',
    'LimitNOFILE=65536',
    ...(facts.isHardened ? hardening(facts) : []),
    '',
    '[Install]',
    `WantedBy=${isSystem ? 'multi-user.target' : 'default.target'}`,
    '',
  ].join('\n');
}

/** No MemoryDenyWriteExecute: JavaScript is compiled to memory. No PrivateDevices and no ProtectClock: they hide GPUs. */
function hardening(facts: ServiceFacts): string[] {
  const { scope, dataDir, writableDirs, variables, program, usesBubblewrap, stateDirectory } = facts;
  const filters = [
    '',
    'NoNewPrivileges=yes',
    'LockPersonality=yes',
    'RestrictRealtime=yes',
    'RestrictSUIDSGID=yes',
    'RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX AF_NETLINK',
    'SystemCallArchitectures=native',
    ...(usesBubblewrap ? [] : ['RestrictNamespaces=yes']),
  ];
  // The other directives need rights that the manager of a user does not have.
  if (scope === 'user') return filters;
  const read = [dataDir, ...writableDirs, ...program, variables.TRAMONTANE_CONFIG ?? ''];
  const needsHome = read.some((path) => HOMES.some((home) => isInside(path, home)));
  const writable = [...(stateDirectory ? [] : [dataDir]), ...writableDirs];
  const capability = facts.port > 0 && facts.port < PRIVILEGED_PORTS ? 'CAP_NET_BIND_SERVICE' : '';
  return [
    ...filters,
    'ProtectSystem=strict',
    ...(writable.length > 0 ? [`ReadWritePaths=${writable.map(quoteWord).join(' ')}`] : []),
    `ProtectHome=${needsHome ? 'read-only' : 'yes'}`,
    'PrivateTmp=yes',
    'ProtectKernelModules=yes',
    'ProtectControlGroups=yes',
    'ProtectHostname=yes',
    // Bubblewrap mounts a /proc of its own, which the kernel refuses while parts of this one are hidden.
    ...(usesBubblewrap ? [] : ['ProtectKernelTunables=yes', 'ProtectKernelLogs=yes', 'ProtectProc=invisible']),
    `CapabilityBoundingSet=${capability}`,
    `AmbientCapabilities=${capability}`,
  ];
}

/** One word of a line: quoted, with % and $ taken literally. */
function quoteWord(text: string): string {
  checkPrintable(text);
  const escaped = text.replaceAll('%', '%%').replaceAll('$', '$$$$');
  return /^[\w@%$+=:,./-]+$/.test(escaped) ? escaped : `"${escaped.replace(/["\\]/g, '\\$&')}"`;
}

/** A whole line that is one path: systemd takes no quotes there. */
function escapePath(path: string): string {
  checkPrintable(path);
  return path.replaceAll('%', '%%');
}

function checkPrintable(text: string): void {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: this is the point
  if (/[\u0000-\u001f\u007f]/.test(text)) throw new CommandFailure('A path or value has a control character in it.');
}
