import type { CommandGroup } from '../shell/command.ts';
import { SERVER, withOptions } from '../shell/shared-options.ts';

const LIBRARY = { name: 'library', summary: 'the name or the id of the library' };
const SOURCE = { name: 'source', summary: 'its id, or the folder or address that it follows' };
const RUN_NO_WAIT = { summary: 'do not wait until it has been compared' };
const NO_WAIT = { summary: 'do not wait until the documents have been read' };

export const library: CommandGroup = {
  name: 'library',
  summary: 'documents to search and to ask; the server must be running',
  commands: withOptions(SERVER, [
    {
      name: 'list',
      summary: 'list libraries, or the documents of one',
      parameters: [{ ...LIBRARY, optional: true }],
      examples: ['library list', 'library list handbooks', 'library list --json'],
      run: async (context) => (await import('./list.ts')).list(context),
    },
    {
      name: 'add',
      summary: 'add files or addresses of the web; a library that does not exist is created',
      parameters: [LIBRARY, { name: 'file|url', summary: 'what to add', isRepeated: true }],
      options: {
        site: { summary: 'add the pages that the site map of an address lists' },
        'no-wait': NO_WAIT,
      },
      examples: ['library add handbooks travel.pdf rules.docx', 'library add docs https://example.com/ --site'],
      run: async (context) => (await import('./add.ts')).add(context),
    },
    {
      name: 'sync',
      summary: 'keep a library in step with a folder: what is new, changed or renamed is sent',
      parameters: [LIBRARY, { name: 'folder', summary: 'its files, without hidden ones and links' }],
      options: {
        delete: { summary: 'delete documents whose files are gone' },
        'dry-run': { summary: 'only show what would change' },
        ignore: {
          summary: 'leave these out, such as *.log,drafts/; lines of .tramontaneignore count too',
          value: '<patterns>',
        },
        as: { summary: 'the name of the folder in the library (default: its own)', value: '<name>' },
        watch: { summary: 'go on until Ctrl-C, and sync whenever a file changes' },
        'no-wait': NO_WAIT,
      },
      examples: [
        'library sync handbooks ./docs',
        'library sync handbooks ./docs --delete --dry-run',
        'library sync handbooks ./docs --delete --watch',
      ],
      run: async (context) => (await import('./sync.ts')).sync(context),
    },
    {
      name: 'follow',
      summary: 'let the server keep a library in step with a folder of its own, a git repository or a site',
      parameters: [LIBRARY, { name: 'folder|url', summary: 'a folder that the operator opened, or an address' }],
      options: {
        type: {
          summary: 'what it is (default: an address that ends in .git is a repository, any other a site)',
          value: '<type>',
          choices: ['folder', 'git', 'site'],
        },
        every: { summary: 'seconds between two runs, or never (default: 3600)', value: '<seconds>' },
        branch: { summary: 'of a repository (default: its own)', value: '<name>' },
        folder: { summary: 'only this folder of a repository', value: '<path>' },
        ignore: { summary: 'leave these out, such as *.log,drafts/', value: '<patterns>' },
        pages: { summary: 'at most so many pages of a site (default: 100)', value: '<n>' },
        'no-wait': RUN_NO_WAIT,
      },
      examples: [
        'library follow handbooks https://example.com/handbook.git --folder docs',
        'library follow site https://example.com/ --pages 50 --every 86400',
        'library follow papers /srv/papers --type folder --every never',
      ],
      run: async (context) => (await import('./sources.ts')).follow(context),
    },
    {
      name: 'sources',
      summary: 'list what a library follows, and how the last run went',
      parameters: [LIBRARY],
      examples: ['library sources handbooks', 'library sources handbooks --json'],
      run: async (context) => (await import('./sources.ts')).sources(context),
    },
    {
      name: 'pull',
      summary: 'bring a library in step with what it follows now',
      parameters: [LIBRARY, { ...SOURCE, optional: true }],
      options: { 'no-wait': RUN_NO_WAIT },
      examples: ['library pull handbooks', 'library pull handbooks https://example.com/handbook.git'],
      run: async (context) => (await import('./sources.ts')).pull(context),
    },
    {
      name: 'unfollow',
      summary: 'no longer follow a folder, repository or site; its documents stay',
      parameters: [LIBRARY, SOURCE],
      options: { delete: { summary: 'delete its documents too' } },
      examples: ['library unfollow handbooks https://example.com/handbook.git'],
      run: async (context) => (await import('./sources.ts')).unfollow(context),
    },
    {
      name: 'search',
      summary: 'find passages, with their document, page and headings',
      parameters: [LIBRARY, { name: 'query', summary: 'what to look for' }],
      options: {
        top: { summary: 'how many passages (default: 5)', value: '<n>' },
        mode: {
          summary: 'by words, by meaning, or both (default: hybrid)',
          value: '<mode>',
          choices: ['hybrid', 'text', 'vector'],
        },
      },
      examples: ['library search handbooks "second class"', 'library search handbooks trains --top 3 --json'],
      run: async (context) => (await import('./search.ts')).search(context),
    },
    {
      name: 'ask',
      summary: 'answer a question from the documents of a library, with citations',
      parameters: [LIBRARY, { name: 'question', summary: 'the question' }],
      options: {
        model: { summary: 'its id or alias (default: the first chat model)', value: '<id>' },
        top: { summary: 'how many passages the model reads (default: 6)', value: '<n>' },
      },
      examples: ['library ask handbooks "Which class do we travel in?"', 'library ask handbooks "Who pays?" --json'],
      run: async (context) => (await import('./ask.ts')).ask(context),
    },
  ]),
};
