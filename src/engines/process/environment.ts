/** Where the loader of native libraries looks, on systems that keep them in unusual places. */
export const NATIVE_LIBRARIES = ['LD_LIBRARY_PATH', 'DYLD_LIBRARY_PATH'] as const;

/** The variables of these names that are set. No child process ever gets the whole environment: it holds secrets. */
export function pickEnvironment(
  names: readonly string[],
  environment: Record<string, string | undefined>,
): Record<string, string> {
  const allowed = new Set(names);
  return Object.fromEntries(
    Object.entries(environment).filter(
      (pair): pair is [string, string] => allowed.has(pair[0]) && pair[1] !== undefined,
    ),
  );
}
