import { audit, groups, users, workspaces } from './users/command.ts';
import { batch } from './batch/command.ts';
import type { CommandGroup, CommandTable } from './shell/command.ts';
import { connectors } from './connectors/command.ts';
import { limits, usage } from './limits/command.ts';
import { ocr } from './ocr/command.ts';
import { exportCommand, importCommand, prompts, skills } from './folder/command.ts';
import { ORGANIZATION, PLACE } from './shell/shared-options.ts';
import { init, worker } from './worker/command.ts';

const PLANS = ['free', 'team', 'enterprise'];
const AUDIO_FORMATS = ['mp3', 'wav', 'flac', 'opus', 'pcm'];
const MCP_CLIENTS = ['claude', 'cursor', 'vscode', 'vibe'];

const keys: CommandGroup = {
  name: 'keys',
  summary: 'make, list and revoke API keys',
  commands: [
    {
      name: 'create',
      summary: 'make an API key and show it, this once',
      options: {
        admin: { summary: 'a key for the administrative API of an organization' },
        name: { summary: 'what it is for', value: '<text>' },
        workspace: { summary: 'the workspace it opens; needed if there are several', value: '<id|name>' },
        user: { summary: 'whom it speaks for; needed if there are several admins', value: '<email>' },
        organization: ORGANIZATION,
        expires: { summary: 'its last day in UTC (2027-01-31), or how long it lasts (30d, 12h)', value: '<when>' },
        ...PLACE,
      },
      examples: ['keys create --name laptop', 'keys create --name ci --expires 30d', 'keys create --admin'],
      run: async (context) => (await import('./keys/run.ts')).createKey(context),
    },
    {
      name: 'list',
      summary: 'list the keys, never their values',
      options: { organization: { ...ORGANIZATION, summary: 'only the keys of this one' }, ...PLACE },
      examples: ['keys list', 'keys list --json'],
      run: async (context) => (await import('./keys/run.ts')).listKeys(context),
    },
    {
      name: 'revoke',
      summary: 'revoke a key; running servers refuse it within a second',
      parameters: [{ name: 'id', summary: 'the id of the key, from keys list' }],
      options: PLACE,
      examples: ['keys revoke 7c9e6679-7425-40de-944b-e07fc1f90ae7'],
      run: async (context) => (await import('./keys/run.ts')).revokeKey(context),
    },
  ],
};

const orgs: CommandGroup = {
  name: 'orgs',
  summary: 'make and list organizations, and set their plans',
  commands: [
    {
      name: 'create',
      summary: 'make an organization with a workspace and an owner',
      options: {
        name: { summary: 'its name', value: '<text>' },
        plan: { summary: `${PLANS.join(', ')}; enterprise if left out`, value: '<plan>', choices: PLANS },
        'owner-email': { summary: 'its first admin, instead of TRAMONTANE_OWNER_EMAIL', value: '<email>' },
        ...PLACE,
      },
      examples: ['orgs create --name Acme', 'orgs create --name Acme --plan team --owner-email ann@example.com'],
      run: async (context) => (await import('./orgs/run.ts')).createOrganization(context),
    },
    {
      name: 'list',
      summary: 'list the organizations',
      options: PLACE,
      examples: ['orgs list'],
      run: async (context) => (await import('./orgs/run.ts')).listOrganizations(context),
    },
    {
      name: 'set-plan',
      summary: 'set the plan of an organization; the administrative API asks for enterprise',
      parameters: [
        { name: 'id|name', summary: 'the organization' },
        { name: 'plan', summary: PLANS.join(', '), choices: PLANS },
      ],
      options: PLACE,
      examples: ['orgs set-plan Acme enterprise'],
      run: async (context) => (await import('./orgs/run.ts')).setPlan(context),
    },
  ],
};

const models: CommandGroup = {
  name: 'models',
  summary: 'the weights that are here, those that could be, and fine-tuned models',
  commands: [
    {
      name: 'catalog',
      summary: 'the models we know by name: licence, size, memory, speed and where they come from',
      examples: ['models catalog', 'models catalog --json'],
      run: async (context) => (await import('./models/run.ts')).showCatalogue(context),
    },
    {
      name: 'list',
      summary: 'the weights in the models dir',
      options: PLACE,
      examples: ['models list'],
      run: async (context) => (await import('./models/run.ts')).listModels(context),
    },
    {
      name: 'rm',
      summary: 'delete weights from the models dir',
      parameters: [{ name: 'id', summary: 'from models list' }],
      options: PLACE,
      examples: ['models rm smollm2-135m-instruct'],
      run: async (context) => (await import('./models/run.ts')).removeWeightsOf(context),
    },
    {
      name: 'add',
      summary: 'make an adapter or weights known as a fine-tuned model of a workspace',
      options: {
        base: { summary: 'the configured llama model it derives from', value: '<id>' },
        adapter: { summary: 'a LoRA adapter as GGUF', value: '<file>' },
        file: { summary: 'whole weights as GGUF', value: '<file>' },
        name: { summary: 'a name for people', value: '<text>' },
        workspace: { summary: 'whose it is; needed if there are several', value: '<id|name>' },
        organization: ORGANIZATION,
        ...PLACE,
      },
      examples: ['models add --base smollm2-135m-instruct --adapter ./support.gguf --name Support'],
      run: async (context) => (await import('./models/run.ts')).addModel(context),
    },
  ],
};

const moderation: CommandGroup = {
  name: 'moderation',
  summary: 'measure the moderation model',
  commands: [
    {
      name: 'evaluate',
      summary: 'print precision and recall by category on sentences that the model has not seen',
      options: {
        model: { summary: 'its id or alias; left out, the first that can moderate', value: '<id>' },
        ...PLACE,
      },
      examples: ['moderation evaluate', 'moderation evaluate --json'],
      run: async (context) => (await import('./moderation/run.ts')).evaluate(context),
    },
  ],
};

const webConsole: CommandGroup = {
  name: 'console',
  summary: 'the web console',
  commands: [
    {
      name: 'build',
      summary: 'build it now, for an image or a checkout that will be read-only; else the first start does',
      options: PLACE,
      examples: ['console build'],
      run: async (context) => (await import('./console/run.ts')).buildTheConsole(context),
    },
  ],
};

const mcp: CommandGroup = {
  name: 'mcp',
  summary: 'the tool server',
  commands: [
    {
      name: 'config',
      summary: 'print what to paste into a client so that it uses the tool server',
      parameters: [{ name: 'client', summary: MCP_CLIENTS.join(', '), choices: MCP_CLIENTS }],
      options: {
        url: { summary: 'where the server is, instead of TRAMONTANE_URL', value: '<url>' },
        'with-key': { summary: 'write down the key in TRAMONTANE_API_KEY, instead of where to find it' },
      },
      examples: ['mcp config claude', 'mcp config vscode --url https://ai.example.com'],
      run: async (context) => (await import('./mcp/run.ts')).printMcpConfig(context),
    },
  ],
};

/** The whole command line: dispatch, help and completion are made from this table. */
export const COMMANDS: CommandTable = [
  {
    name: 'start',
    summary: 'serve the platform until Ctrl-C; the first start makes it and shows its API key',
    options: {
      host: { summary: 'the address to listen on, instead of TRAMONTANE_HOST (127.0.0.1)', value: '<address>' },
      port: { summary: 'the port to listen on, instead of TRAMONTANE_PORT (4747)', value: '<number>' },
      workflows: { summary: 'run the workflows of this folder as well, in a worker of its own', value: '<dir>' },
      ...PLACE,
    },
    examples: ['start', 'start --port 8080 --data-dir /srv/tramontane', 'start --workflows ./workflows'],
    run: async (context) => (await import('./start/run.ts')).start(context),
  },
  {
    name: 'doctor',
    summary: 'check what a start depends on, and say how to mend what is wrong',
    options: PLACE,
    examples: ['doctor', 'doctor --json'],
    run: async (context) => (await import('./doctor/run.ts')).doctor(context),
  },
  {
    name: 'chat',
    summary: 'talk to a model in the terminal; the server must be running',
    options: {
      model: { summary: 'its id or alias; left out, the first that can chat', value: '<id>' },
      message: { summary: 'say just this, print the answer and end', value: '<text>' },
      system: { summary: 'how the model should behave', value: '<text>' },
      url: { summary: 'where the server is, instead of TRAMONTANE_URL', value: '<url>' },
    },
    examples: ['chat', 'chat --message "Say hello."'],
    run: async (context) => (await import('./chat/run.ts')).chat(context),
  },
  {
    name: 'say',
    summary: 'have a text spoken and written to a file; the server must be running',
    parameters: [{ name: 'text', summary: 'what to say, or - to read it from stdin' }],
    options: {
      output: {
        summary: 'the file, instead of speech.mp3 here; its ending chooses the format',
        value: '<file>',
        short: 'o',
      },
      voice: { summary: 'its id or slug; left out, the default voice of the model', value: '<voice>' },
      model: { summary: 'its id or alias; left out, the first that can speak', value: '<id>' },
      format: { summary: `${AUDIO_FORMATS.join(', ')}; mp3 if left out`, value: '<format>', choices: AUDIO_FORMATS },
      stream: { summary: 'write the file while it is spoken; for long texts' },
      play: { summary: 'play the file when it is written, if a player is installed' },
      url: { summary: 'where the server is, instead of TRAMONTANE_URL', value: '<url>' },
    },
    examples: [
      'say "Good morning."',
      'say "Guten Tag." --voice de -o gruss.wav',
      'say - --stream -o book.opus < book.txt',
    ],
    run: async (context) => (await import('./say/run.ts')).say(context),
  },
  ocr,
  {
    name: 'pull',
    summary: 'fetch the weights of a model; goes on where it was stopped',
    parameters: [
      { name: 'model', summary: 'an id of models catalog, a path, an https address or owner/name:file.gguf' },
    ],
    options: { sha256: { summary: 'refuse the file unless it has this sum', value: '<hex>' }, ...PLACE },
    examples: ['pull smollm2-135m-instruct', 'pull https://example.com/model.gguf --sha256 0123…'],
    run: async (context) => (await import('./models/pull.ts')).pull(context),
  },
  worker,
  init,
  models,
  prompts,
  skills,
  exportCommand,
  importCommand,
  moderation,
  keys,
  orgs,
  users,
  workspaces,
  groups,
  limits,
  usage,
  batch,
  audit,
  webConsole,
  mcp,
  connectors,
  {
    name: 'backup',
    summary: 'write a consistent backup to a new directory; the server may be running',
    parameters: [{ name: 'target-dir', summary: 'a directory that does not exist yet' }],
    options: PLACE,
    examples: ['backup /backups/monday'],
    run: async (context) => (await import('./backup/run.ts')).backup(context),
  },
  {
    name: 'restore',
    summary: 'check a backup and put it in the place of the data; the server must be stopped',
    parameters: [{ name: 'backup-dir', summary: 'a directory that backup wrote' }],
    options: {
      verify: { summary: 'only check the backup and touch nothing' },
      force: { summary: 'replace data that is there (SQLite: it is kept beside; PostgreSQL: it is not)' },
      ...PLACE,
    },
    examples: ['restore /backups/monday --verify', 'restore /backups/monday'],
    run: async (context) => (await import('./backup/restore.ts')).restore(context),
  },
  {
    name: 'openapi',
    summary: 'write openapi/openapi.json from the table of routes',
    options: {
      check: { summary: 'write nothing; fail if the committed file differs' },
      file: { summary: 'another place for the document', value: '<file>' },
    },
    examples: ['openapi', 'openapi --check'],
    run: async (context) => (await import('./openapi/run.ts')).openapi(context),
  },
  {
    name: 'completion',
    summary: 'print a script that completes commands and options in a shell',
    parameters: [{ name: 'shell', summary: 'bash, zsh or fish', choices: ['bash', 'zsh', 'fish'] }],
    examples: ['completion bash > ~/.local/share/bash-completion/completions/tramontane', 'completion fish | source'],
    run: async (context) => (await import('./completion/run.ts')).completion(context),
  },
  {
    name: 'version',
    summary: 'print the version',
    examples: ['version', 'version --json'],
    run: async (context) => (await import('./version/run.ts')).printVersion(context),
  },
];
