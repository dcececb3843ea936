import { version } from '../../config/version.ts';
import type { Output } from '../shell/output.ts';
import { quoteForShell } from '../shell/quote-for-shell.ts';

const KEY_VARIABLE = 'TRAMONTANE_BOOTSTRAP_API_KEY';

export type StartFacts = {
  url: string;
  publicUrl: string | undefined;
  dataDir: string;
  /** Only on the first start. A key from the environment is not printed. */
  key: { from: 'generated'; value: string } | { from: 'environment' } | undefined;
  /** The link with which the owner sets a password; only on the first start. */
  link: { url: string; email: string } | undefined;
  chatModel: string | undefined;
  isTiny: boolean;
  /** The flags with which later commands find the same platform. */
  flags: string[];
};

/** The text that a start prints: getting started on the first start, later only the addresses. */
export function startCard(facts: StartFacts, styled: Output['styled']): string {
  const { url, publicUrl, dataDir, key } = facts;
  const lines = [
    styled('bold', `Tramontane ${version} is ready`),
    '',
    `  Address   ${publicUrl ?? url}`,
    `  Console   ${facts.link ? styled('bold', facts.link.url) : `${publicUrl ?? url}/console`}`,
    ...(facts.link
      ? [`            Works once, within 24 hours: sets the password of ${facts.link.email} and signs in.`]
      : []),
    `  API docs  ${publicUrl ?? url}/docs`,
    `  Data      ${dataDir}`,
  ];
  if (key) lines.push(...firstStart(facts, key, styled));
  return [...lines, '', 'Press Ctrl-C to stop.'].join('\n');
}

function firstStart(facts: StartFacts, key: NonNullable<StartFacts['key']>, styled: Output['styled']): string[] {
  const command = (text: string) => ['npx tramontane', text, ...facts.flags.map(quoteForShell)].join(' ');
  return [
    ...(key.from === 'generated'
      ? [
          `  API key   ${styled('bold', key.value)}`,
          '            Save it now: it is not shown again, and only its hash is stored.',
        ]
      : [`  API key   the value of ${KEY_VARIABLE}`]),
    '',
    'Try it:',
    `  ${curlLine(facts, key)}`,
    `  ${sdkLine(facts, key)}`,
    '',
    ...(facts.isTiny
      ? [
          'The default model is tiny and only good for a first try. To list and download better ones:',
          `  ${command('models catalog')}`,
          `  ${command('pull <id>')}`,
          '',
        ]
      : []),
    'To replace a lost key:',
    `  ${command('keys create')}`,
    'To create a key for the administrative API:',
    `  ${command('keys create --admin')}`,
    'To create a new sign-in link for the console:',
    `  ${command('users link <email>')}`,
  ];
}

const MESSAGES = [{ role: 'user', content: 'Hello!' }];

function curlLine({ url, chatModel }: StartFacts, key: NonNullable<StartFacts['key']>): string {
  // Double quotes let the shell expand the variable; a generated key has no special characters.
  const header = `-H "Authorization: Bearer ${key.from === 'generated' ? key.value : `$${KEY_VARIABLE}`}"`;
  if (chatModel === undefined) return `curl ${url}/v1/users/me ${header}`;
  const body = JSON.stringify({ model: chatModel, messages: MESSAGES });
  return `curl ${url}/v1/chat/completions ${header} -H "Content-Type: application/json" -d ${quoteForShell(body)}`;
}

function sdkLine({ url, chatModel }: StartFacts, key: NonNullable<StartFacts['key']>): string {
  const apiKey = key.from === 'generated' ? JSON.stringify(key.value) : `process.env.${KEY_VARIABLE}`;
  const expression =
    chatModel === undefined
      ? 'await mistral.models.list()'
      : `(await mistral.chat.complete(${JSON.stringify({ model: chatModel, messages: MESSAGES })})).choices[0].message.content`;
  const program = `import { Mistral } from "@mistralai/mistralai"; const mistral = new Mistral({ serverURL: ${JSON.stringify(url)}, apiKey: ${apiKey} }); console.log(${expression});`;
  return `node --input-type=module -e ${quoteForShell(program)}`;
}
