/** A block of a page that `blocks.test.ts` does not run: the page, how the block begins, and why. */
type Unrunnable = { page: string; begins: string; reason: string };

const installs = 'installs a program on the machine; npm run test:full builds and runs each form of a release';
const weights = 'downloads weights; the tests of its room do it where a source of weights is reachable';
const started = 'what CI and npm run smoke do';
const lines = 'lines of an environment file, which docs.test.ts reads';
const connector = 'needs a server of that name; test/sdk calls the same on one of its own';
const worker = 'needs Temporal and Python 3.12: src/workflows runs a Python worker where both are there';

export const unrunnable: readonly Unrunnable[] = [
  { page: 'README.md', begins: 'npm ci && npm start', reason: started },
  { page: 'README.md', begins: 'npm install -g', reason: installs },
  { page: 'docs/configuration.md', begins: 'TRAMONTANE_HOST=', reason: lines },
  { page: 'docs/connectors.md', begins: 'export TRAMONTANE_API_KEY', reason: connector },
  { page: 'docs/connectors.md', begins: 'from mistralai', reason: connector },
  { page: 'docs/gpu.md', begins: 'npx tramontane gpu ', reason: 'needs a GPU' },
  { page: 'docs/install.md', begins: 'npm install -g', reason: installs },
  { page: 'docs/install.md', begins: 'sha256sum', reason: installs },
  { page: 'docs/install.md', begins: 'docker build', reason: installs },
  { page: 'docs/install.md', begins: 'kubectl apply', reason: 'needs a cluster; test/deploy checks the files' },
  { page: 'docs/install.md', begins: 'sudo useradd', reason: installs },
  { page: 'docs/live-audio.md', begins: 'npx tramontane listen\n', reason: 'needs a microphone, and ffmpeg' },
  { page: 'docs/models.md', begins: 'npx tramontane models add', reason: weights },
  { page: 'docs/moderation.md', begins: 'npx tramontane moderation evaluate', reason: weights },
  { page: 'docs/ocr.md', begins: 'npx tramontane pull', reason: weights },
  { page: 'docs/operations.md', begins: 'npm install', reason: installs },
  { page: 'docs/operations.md', begins: 'npm start', reason: started },
  { page: 'docs/operations.md', begins: 'export AWS_', reason: 'needs a store of that name' },
  { page: 'docs/operations.md', begins: 'npx tramontane start --processes', reason: started },
  { page: 'docs/operations.md', begins: 'TRAMONTANE_DATABASE_URL=', reason: 'needs a PostgreSQL server of that name' },
  { page: 'docs/python-workers.md', begins: 'pip install', reason: worker },
  { page: 'docs/python-workers.md', begins: 'import asyncio', reason: worker },
  { page: 'docs/python-workers.md', begins: 'curl', reason: worker },
  { page: 'docs/speech-engines.md', begins: 'npm uninstall', reason: 'changes the checkout that runs the tests' },
  { page: 'docs/temporal.md', begins: 'TRAMONTANE_TEMPORAL_', reason: lines },
  { page: 'docs/temporal.md', begins: 'npm install', reason: installs },
];

/** Pages whose programs another test runs. */
export const runElsewhere: Record<string, string> = {
  'README.md': 'test/docs/tour.test.ts',
  'docs/clients.md': 'quality/clients/run.ts',
  'docs/workflows.md': 'src/workflows/guide.test.ts',
};
