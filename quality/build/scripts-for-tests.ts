/** What tests and short campaigns start in processes of their own and what imports the server, by its path in the checkout. */
export const SCRIPTS = [
  'quality/bench/processes/serve-platform.ts',
  'quality/campaigns/fuzz/serve.ts',
  'quality/campaigns/processes/attack.ts',
  'quality/campaigns/processes/others.ts',
  'quality/campaigns/processes/serve.ts',
  'quality/campaigns/upgrade/die-in-migration.ts',
  'src/connectors/conformance-client-for-tests.ts',
  'src/connectors/conformance-sign-in-for-tests.ts',
  'test/crash/fixtures/notes-server.ts',
];

/** What a build for tests has: the package without its guide, and the bundles of the scripts. */
export const PACKAGE_FOLDER = 'package';
export const SCRIPTS_FOLDER = 'scripts';
