/** In every file that this program writes for a service manager. */
export const MARK = 'Written by: tramontane service install';

export type Manager = 'systemd' | 'launchd';
export type Scope = 'system' | 'user';

/** Everything that a unit or a plist says. */
export type ServiceFacts = {
  name: string;
  scope: Scope;
  account: string;
  isHardened: boolean;
  program: string[];
  workingDir: string;
  dataDir: string;
  /** Other directories that the server writes to. */
  writableDirs: string[];
  variables: Record<string, string>;
  environmentFile: string;
  logFile: string;
  stopSeconds: number;
  /** The service manager creates the data dir. */
  stateDirectory: string | undefined;
  usesBubblewrap: boolean;
  port: number;
};

export function isInside(path: string, dir: string): boolean {
  return path === dir || path.startsWith(`${dir}/`);
}
