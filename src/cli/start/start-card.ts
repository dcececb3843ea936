import { version } from '../../config/version.ts';
import type { Output } from '../shell/output.ts';
import { quoteForShell } from '../shell/quote-for-shell.ts';

const KEY_VARIABLE = 'TRAMONTANE_BOOTSTRAP_API_KEY';

export type StartFacts = {
  url: string;
  publicUrl: string | undefined;
  dataDir: string;
  /** Only on the very first start. A key that the environment gave is known there and not repeated. */
  key: { from: 'us'; value: string } | { from: 'environment' } | undefined;
  /** Where the owner sets a password; only on the very first start. */
  link: { url: string; email: string } | undefined;
  chatModel: string | undefined;
  /** The default model serves, which is only good for trying things out. */
  isTiny: boolean;
  /** What later commands need to find the same platform. */
  flags: string[];
};

/** What a start prints: on the first one everything a newcomer needs, later only where the server is. */
export function startCard(facts: StartFacts, styled: Output['styled']): string {
  const { url, publicUrl, dataDir, key } = facts;
  const lines = [
    styled('bold', `Tramontane ${version} is ready`),
    '',
    `  Address   ${publicUrl ?? url}`,
    `  Console   ${facts.link ? styled('bold', facts.link.url) : `${publicUrl ?? url}/console`}`,
    ...(facts.link
      ? [`            Opens once, within 24 hours: sets the password of ${facts.link.email} and signs in.`]
      : []),
    `  API docs  ${publicUrl ?? url}/docs`,
    `  Data      ${dataDir}`,
  ];
  if (key) lines.push(...firstStart(facts, key, styled));
  return [...lines, '', 'Ctrl-C stops it.'].join('\n');
}

function firstStart(facts: StartFacts, key: NonNullable<StartFacts['key']>, styled: Output['styled']): string[] {
  const command = (words: string) => ['npx tramontane', words, ...facts.flags.map(quoteForShell)].join(' ');
  return [
    ...(key.from === 'us'
      ? [
          `  API key   ${styled('bold', key.value)}`,
          '            Shown this once: keep it now. Only a hash of it is stored.',
        ]
      : [`  API key   the one in ${KEY_VARIABLE}`]),
    '',
    'Try it:',
    `  ${curlLine(facts, key)}`,
    `  ${sdkLine(facts, key)}`,
    '',
    ...(facts.isTiny
      ? [
          'The default model is tiny: good for trying things out, not for work. To see better ones, and to fetch one:',
          `  ${command('models catalog')}`,
          `  ${command('pull <id>')}`,
          '',
        ]
      : []),
    'A lost key is replaced, never shown again:',
    `  ${command('keys create')}`,
    'A key for the administrative API:',
    `  ${command('keys create --admin')}`,
    'A new link into the console:',
    `  ${command('users link <email>')}`,
  ];
}

const MESSAGES = [{ role: 'user', content: 'Hello!' }];

function curlLine({ url, chatModel }: StartFacts, key: NonNullable<StartFacts['key']>): string {
  // In double quotes the shell puts the variable in; a key of ours has nothing that a shell reads otherwise.
  const header = `-H "Authorization: Bearer ${key.from === 'us' ? key.value : `$${KEY_VARIABLE}`}"`;
  if (chatModel === undefined) return `curl ${url}/v1/users/me ${header}`;
  const body = JSON.stringify({ model: chatModel, messages: MESSAGES });
  return `curl ${url}/v1/chat/completions ${header} -H "Content-Type: application/json" -d ${quoteForShell(body)}`;
}

function sdkLine({ url, chatModel }: StartFacts, key: NonNullable<StartFacts['key']>): string {
  const apiKey = key.from === 'us' ? JSON.stringify(key.value) : `process.env.${KEY_VARIABLE}`;
  const answer =
    chatModel === undefined
      ? 'await mistral.models.list()'
      : `(await mistral.chat.complete(${JSON.stringify({ model: chatModel, messages: MESSAGES })})).choices[0].message.content`;
  const program = `import { Mistral } from "@mistralai/mistralai"; const mistral = new Mistral({ serverURL: ${JSON.stringify(url)}, apiKey: ${apiKey} }); console.log(${answer});`;
  return `node --input-type=module -e ${quoteForShell(program)}`;
}
