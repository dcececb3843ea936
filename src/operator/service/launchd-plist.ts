import { MARK, type ServiceFacts } from './service-facts.ts';

/** launchd reads no environment file, so a shell reads it and becomes the server. */
const WITH_ENVIRONMENT = 'file=$1; shift; if [ -r "$file" ]; then set -a; . "$file"; set +a; fi; exec "$@"';

type Value = string | number | boolean | Value[] | { [key: string]: Value };

/** A property list for this installation: an agent of a user, or a daemon. */
export function launchdPlist(facts: ServiceFacts): string {
  const list: Value = {
    Label: facts.name,
    ProgramArguments: ['/bin/sh', '-c', WITH_ENVIRONMENT, facts.name, facts.environmentFile, ...facts.program],
    EnvironmentVariables: facts.variables,
    WorkingDirectory: facts.workingDir,
    ...(facts.scope === 'system' && { UserName: facts.account }),
    Umask: 0o077,
    RunAtLoad: true,
    KeepAlive: { SuccessfulExit: false },
    ThrottleInterval: 10,
    ExitTimeOut: facts.stopSeconds,
    SoftResourceLimits: { NumberOfFiles: 65_536 },
    StandardOutPath: facts.logFile,
    StandardErrorPath: facts.logFile,
  };
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">',
    `<!-- ${MARK}. Run it again after an upgrade or a move. -->`,
    '<plist version="1.0">',
    write(list, ''),
    '</plist>',
    '',
  ].join('\n');
}

function write(value: Value, indent: string): string {
  const inner = `${indent}  `;
  if (typeof value === 'string') return `${indent}<string>${escapeXml(value)}</string>`;
  if (typeof value === 'number') return `${indent}<integer>${value}</integer>`;
  if (typeof value === 'boolean') return `${indent}<${value}/>`;
  if (Array.isArray(value))
    return [`${indent}<array>`, ...value.map((item) => write(item, inner)), `${indent}</array>`].join('\n');
  const entries = Object.entries(value).flatMap(([key, item]) => [
    `${inner}<key>${escapeXml(key)}</key>`,
    write(item, inner),
  ]);
  return [`${indent}<dict>`, ...entries, `${indent}</dict>`].join('\n');
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
