/** A page of the guide: a Markdown file of this repository, under the title that navigation and search show. */
export type GuidePage = { source: string; title: string; about: string };
export type Group = { name: string; pages: GuidePage[] };

const page = (source: string, title: string, about: string): GuidePage => ({ source, title, about });

/** Titles and order of all pages. Decisions follow their list, which is the last page here. */
export const groups: readonly Group[] = [
  {
    name: 'Start',
    pages: [
      page('README.md', 'Welcome', 'what it is, how to run it, a tour of five minutes'),
      page('docs/install.md', 'Install', 'package, archive, image and clone'),
      page('docs/console-sign-in.md', 'Sign in', 'one-time links, passwords, sessions'),
      page('docs/models.md', 'Models', 'built-in models, your own weights, other model servers'),
      page('docs/gpu.md', 'GPU', 'CUDA, Vulkan and Metal'),
      page('examples/README.md', 'Examples', 'short programs in TypeScript and Python'),
      page('docs/commands.md', 'Commands', 'the command line'),
    ],
  },
  {
    name: 'Use',
    pages: [
      page('docs/conversations.md', 'Conversations and agents', 'history, tools and agents kept by the server'),
      page('docs/dialects.md', 'Other APIs', 'Responses, and the APIs of OpenAI and Anthropic'),
      page('docs/prompts.md', 'Prompts', 'versions, aliases, variables'),
      page('docs/skills.md', 'Skills', 'folders of instructions, and their intake scan'),
      page('docs/workspace-folder.md', 'Workspace as a folder', 'prompts, skills and agents in git'),
      page('docs/workflows.md', 'Workflows', 'write code that survives a crash'),
      page('docs/workflows-api.md', 'Workflow API', 'start, watch and control executions'),
      page('packages/workflows/README.md', 'Workflow SDK', 'the package that workers are written in'),
      page('docs/python-workers.md', 'Workers in Python', 'the official Python SDK as a worker'),
      page('docs/webhooks.md', 'Webhooks and triggers', 'providers that start workflows and agents'),
      page('docs/notifications.md', 'Notifications', 'what happens here, told to your own addresses'),
      page('docs/clients.md', 'Clients', 'LangChain, the AI SDK, Vibe and others'),
      page('docs/connectors.md', 'Connectors', 'tools of remote MCP servers'),
      page('docs/mcp.md', 'Tool server', 'skills and prompts for MCP clients'),
      page('docs/files.md', 'Files', 'upload, download, signed URLs'),
      page('docs/libraries.md', 'Document libraries', 'documents that are read, split and shared'),
      page('docs/ocr.md', 'Documents', 'PDF and images to Markdown'),
      page('docs/search.md', 'Search', 'documents by words and by meaning, search indexes'),
      page('docs/speech.md', 'Speech', 'text to speech, and voices'),
      page('docs/transcription.md', 'Transcription', 'audio to text'),
      page('docs/live-audio.md', 'Live audio', 'speech to text and back while somebody speaks'),
      page('docs/evaluation.md', 'Evaluation', 'datasets, and judges that score answers'),
      page('docs/batch.md', 'Batch jobs', 'many requests as one job'),
      page('docs/moderation.md', 'Moderation', 'moderation and guardrails'),
      page('docs/classifiers.md', 'Classifiers', 'texts by labels of your own'),
    ],
  },
  {
    name: 'Operate',
    pages: [
      page('docs/configuration.md', 'Configuration', 'every setting, with its default'),
      page('docs/operations.md', 'Operations', 'backup, upgrades, metrics, PostgreSQL'),
      page('deploy/README.md', 'Containers', 'Docker, Kubernetes, proxies'),
      page('docs/administration.md', 'Administration', 'users, workspaces, groups, keys'),
      page('docs/limits.md', 'Limits and usage', 'rate limits, budgets, storage'),
      page('docs/observability.md', 'Observability', 'what models were asked, by whom and at what cost'),
      page('docs/evaluation-runs.md', 'Evaluations', 'whether a change is better, and judges on live traffic'),
      page('docs/fairness.md', 'Fairness', 'how tenants share one server'),
      page('docs/scaling.md', 'Scaling', 'several servers on one PostgreSQL'),
      page('docs/temporal.md', 'Temporal', 'workflows on a Temporal cluster'),
      page('docs/speech-engines.md', 'Voices', 'the engines that speak'),
      page('docs/security.md', 'Security', 'what is protected, and how'),
    ],
  },
  {
    name: 'Reference',
    pages: [
      page('docs/errors.md', 'Errors', 'every error code, and what to do'),
      page('docs/sdk-coverage.md', 'SDK coverage', 'what of the official SDKs is served'),
      page('docs/console-api.md', 'Console API', 'what the console uses beyond the public API'),
      page('docs/performance.md', 'Performance', 'figures with targets'),
      page('docs/comparison.md', 'Comparison', 'beside LiteLLM, Langfuse, Temporal and Ollama'),
      page('docs/glossary.md', 'Glossary', 'which word means what'),
      page('docs/licences.md', 'Licences', 'of what it is built on'),
    ],
  },
  {
    name: 'Project',
    pages: [
      page('CHANGELOG.md', 'Changelog', 'what changed in each version'),
      page('ARCHITECTURE.md', 'Architecture', 'the map of the code'),
      page('CONTRIBUTING.md', 'Contributing', 'how to make a change'),
      page('SECURITY.md', 'Report a vulnerability', 'how, and what happens then'),
      page('docs/trust.md', 'Trust', 'the campaigns that try to break it'),
      page('docs/console.md', 'Console design', 'type, space, colour, states'),
      page('docs/decisions/README.md', 'Decisions', 'why things are as they are'),
    ],
  },
];

/** `docs/limits.md` is `limits.html`, `examples/README.md` is `examples.html`, and the front page `index.html`. */
export function outputOf(source: string): string {
  if (source === 'README.md') return 'index.html';
  if (source === 'docs/decisions/README.md') return 'decisions/index.html';
  // docs/security.md has that name already.
  if (source === 'SECURITY.md') return 'security-policy.html';
  const path = source.replace(/^docs\//, '').replace(/\/README\.md$/, '.md');
  return `${path.replace(/\.md$/, '').toLowerCase().replace('packages/', 'package-')}.html`;
}
