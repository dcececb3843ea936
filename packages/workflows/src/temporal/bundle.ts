import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire, isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type * as TemporalWorker from '@temporalio/worker';

type Configuration = Parameters<NonNullable<TemporalWorker.BundleOptions['webpackConfigHook']>>[0];
type External = (data: { request?: string }, callback: (error?: null, result?: string) => void) => void;

const own = (path: string) => fileURLToPath(new URL(path, import.meta.url));
/** .ts in a checkout, .js where the package is installed. */
const ENDING = import.meta.url.slice(import.meta.url.lastIndexOf('.'));

/** Where this package finds its own dependencies, wherever it is installed. */
const ownModules = createRequire(import.meta.url).resolve.paths('zod') ?? [];

/** The failure converter of encrypting workers. */
export const FAILURE_CONVERTER = own(`./failure-converter${ENDING}`);

/** Bundles the project's workflow code for Temporal's isolates with Temporal's bundler, without the bodies of steps. */
export async function bundleWorkflows(
  { bundleWorkflowCode }: Pick<typeof TemporalWorker, 'bundleWorkflowCode'>,
  files: readonly string[],
  converter: { failureConverterPath?: string },
): Promise<{ code: string }> {
  const dir = mkdtempSync(join(tmpdir(), 'tramontane-bundle-'));
  const entry = join(dir, 'workflows.js');
  const said: string[] = [];
  const imports = files.map((file) => `import ${JSON.stringify(file)};`);
  writeFileSync(
    entry,
    [...imports, `export { default } from ${JSON.stringify(own(`./run-workflow${ENDING}`))};`].join('\n'),
  );
  try {
    return await bundleWorkflowCode({
      workflowsPath: entry,
      ...converter,
      webpackConfigHook: (config) => configure(config, files),
      logger: quietLogger((words) => said.push(words)),
    });
  } catch (error) {
    throw new TypeError(
      `The workflows could not be bundled for Temporal. What only steps need must be imported in files of steps or inside their bodies. ${said.join(' ').slice(0, 2000)}`,
      { cause: error },
    );
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

function configure(config: Configuration, files: readonly string[]): Configuration {
  const projectModules = files.slice(0, 1).flatMap((file) => createRequire(file).resolve.paths('zod') ?? []);
  const rules = (config.module?.rules ?? []).map((rule) => modernize(rule as never) as never);
  return {
    ...config,
    externals: standInForNode as never,
    devtool: 'inline-cheap-source-map',
    resolve: {
      ...config.resolve,
      extensions: ['.ts', '.mts', '.js', '.mjs'],
      // Projects without node_modules get this package and Zod from the worker.
      fallback: { ...(config.resolve?.fallback as object), '@tramontane/workflows': own(`../index${ENDING}`) },
      modules: [...(config.resolve?.modules ?? ['node_modules']), ...ownModules, ...projectModules],
    },
    module: {
      ...config.module,
      rules: [
        ...rules,
        { test: /\.[mc]?[jt]s$/, exclude: /node_modules/, enforce: 'post', use: [own(`./strip-steps${ENDING}`)] },
      ],
    },
  };
}

type Rule = { test?: RegExp; use?: { options?: { jsc?: { target?: string } } } };

/** The isolate supports the same syntax as Node, so nothing is transpiled. */
function modernize(rule: Rule): Rule {
  if (!rule.use?.options?.jsc) return rule;
  const { use } = rule;
  return {
    ...rule,
    test: /\.m?ts$/,
    use: { ...use, options: { ...use.options, jsc: { ...use.options?.jsc, target: 'es2024' } } },
  };
}

/** The isolate has no Node modules: using one throws an error that says so. */
const standInForNode: External = ({ request = '' }, callback) => {
  if (!isBuiltin(request)) return callback();
  if (request.endsWith('async_hooks'))
    return callback(null, 'var ({ AsyncLocalStorage: globalThis.AsyncLocalStorage })');
  const words = JSON.stringify(`Workflow code may not use ${request}: put it into a step.`);
  return callback(null, `var new Proxy({}, { get: () => () => { throw new Error(${words}); } })`);
};

function quietLogger(onError: (words: string) => void): TemporalWorker.Logger {
  const nothing = () => undefined;
  return {
    log: nothing,
    trace: nothing,
    debug: nothing,
    info: nothing,
    warn: nothing,
    error: (message) => onError(message),
  };
}
