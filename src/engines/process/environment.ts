import { tmpdir, userInfo } from 'node:os';

/** Where the loader of native libraries looks, on systems that keep them in unusual places. */
export const NATIVE_LIBRARIES = ['LD_LIBRARY_PATH', 'DYLD_LIBRARY_PATH'] as const;

/** What package managers and other programs of the machine need: paths, proxies, certificates. */
export const PROGRAM_VARIABLES = [
  ...['PATH', 'HOME', 'USER', 'LANG', 'LC_*', 'TMPDIR', 'TEMP', 'TMP', 'XDG_*'],
  ...['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'NO_PROXY'],
  ...['SSL_CERT_FILE', 'SSL_CERT_DIR', 'REQUESTS_CA_BUNDLE', 'CURL_CA_BUNDLE', 'NODE_EXTRA_CA_CERTS'],
  ...['COMSPEC', 'PATHEXT', 'APPDATA', 'LOCALAPPDATA', 'USERPROFILE', 'PROGRAMFILES', 'PROGRAMDATA'],
] as const;

/**
 * The variables of these names, whatever their case; a name may end with `*`. No child process ever gets the whole
 * environment, which holds secrets.
 */
export function pickEnvironment(
  names: readonly string[],
  environment: Record<string, string | undefined>,
): Record<string, string> {
  const isAllowed = (variable: string) =>
    names.some((name) => (name.endsWith('*') ? variable.startsWith(name.slice(0, -1)) : variable === name));
  return Object.fromEntries(
    Object.entries(environment).filter(
      (pair): pair is [string, string] => isAllowed(pair[0].toUpperCase()) && pair[1] !== undefined,
    ),
  );
}

/**
 * A container may run under any number, also one that no user has. Node then throws where a library asks for the home
 * directory, unless this variable is set.
 */
export function homeOfNobody(readUser: () => unknown = userInfo): { HOME?: string } {
  try {
    readUser();
    return {};
  } catch {
    return { HOME: tmpdir() };
  }
}
