import { beforeAll, expect, it } from 'vitest';
import { makeLibrary, upload } from '../../src/libraries/libraries-for-tests.ts';
import { call } from '../../test/support/call.ts';
import { inFull } from '../../test/support/in-full.ts';
import { completion, json } from '../../test/support/upstream.ts';
import { checkPage } from './support/check-page.ts';
import { describeInBrowser, model, type OpenConsole, openConsole } from './support/open-console.ts';
import { shots } from './support/shots.ts';

const TOOLS = JSON.stringify([
  { type: 'function', function: { name: 'get_weather', parameters: { type: 'object', properties: {} } } },
]);

describeInBrowser('the playground', () => {
  let opened: OpenConsole;
  beforeAll(async () => {
    opened = await openConsole({
      model: {
        capabilities: { completion_chat: true, function_calling: true, vision: true },
        price: { prompt: 1000, completion: 1000 },
      },
    });
  });
  const fresh = async (search = '') => {
    // The page is kept as it was left, so each test forgets that elsewhere.
    await opened.page.goto(opened.at('/models'));
    await opened.page.evaluate('sessionStorage.clear()');
    await opened.page.goto(opened.at(`/playground${search}`));
    await opened.page.getByRole('heading', { level: 1, name: 'Playground' }).waitFor();
    return opened.page;
  };
  const say = async (text: string) => {
    await opened.page.getByRole('textbox', { name: 'Message' }).fill(text);
    await opened.page.getByRole('textbox', { name: 'Message' }).press('Enter');
  };

  it('streams a response with its speed and tokens, stops it and regenerates it', async () => {
    const { upstream } = opened;
    let end: (() => void) | undefined;
    upstream.answerWith((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const send = (delta: object, more: object = {}) =>
        response.write(
          `data: ${JSON.stringify({ id: 'x', model: 'm', created: 1, choices: [{ index: 0, delta, finish_reason: null }], ...more })}\n\n`,
        );
      send({ content: '**Slow' });
      end = () => {
        send({ content: ' wind**' });
        const choices = [{ index: 0, delta: {}, finish_reason: 'stop' }];
        send({}, { choices, usage: { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7 } });
        response.end('data: [DONE]\n\n');
      };
    });
    const page = await fresh();
    await checkPage(page);
    await shots(page, 'playground-empty');
    await page.getByLabel('Model', { exact: true }).last().selectOption(model);
    await say('Which wind is it?');
    await page.getByText('Slow').waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByRole('button', { name: 'Regenerate' }).waitFor();

    end = undefined;
    await page.getByRole('button', { name: 'Regenerate' }).click();
    await expect.poll(() => end).toBeDefined();
    end?.();
    await page.getByText('5 tokens in, 2 out').waitFor();
    expect(await page.getByTestId('answer').locator('strong').textContent()).toBe('Slow wind');
    await checkPage(page);
    await shots(page, 'playground-answer');
  });

  inFull.it('takes tool results by hand and explains errors', async () => {
    opened.upstream.answerWith(({ body }, response) => {
      const messages = body.messages as { role: string; content: string }[];
      if (messages.at(-1)?.role === 'tool')
        return json(response, 200, completion(`It is ${messages.at(-1)?.content}.`));
      const tool_calls = [{ id: 'abcdefghi', type: 'function', function: { name: 'get_weather', arguments: '{}' } }];
      const message = { role: 'assistant', content: '', tool_calls };
      json(response, 200, {
        ...(completion('') as object),
        choices: [{ index: 0, message, finish_reason: 'tool_calls' }],
      });
    });
    const page = await fresh(`?target=${encodeURIComponent(JSON.stringify({ kind: 'model', id: model }))}`);
    await page.getByText('Tools', { exact: true }).click();
    await page.getByLabel('Tools (JSON)').fill('{');
    await say('The weather?');
    await page.getByRole('alert').filter({ hasText: 'Tools must be a JSON array' }).waitFor();
    await page.getByLabel('Tools (JSON)').fill(TOOLS);
    await page.getByRole('textbox', { name: 'Message' }).press('Enter');
    await page.getByLabel('Result of get_weather').fill('windy');
    await checkPage(page);
    await shots(page, 'playground-tools');
    await page.getByRole('button', { name: 'Send results' }).click();
    await page.getByText('It is windy.').waitFor();
  });

  inFull.it('searches the chosen libraries, cites what was found, and shows code that does the same', async () => {
    const { server, upstream } = opened;
    const { id } = await makeLibrary(server, { name: 'Winds' });
    await upload(server, id, 'winds.md', '# Winds\n\nThe tramontane blows from the north.\n');
    upstream.answerWith(({ body }, response) => {
      const messages = body.messages as { role: string }[];
      if (messages.at(-1)?.role === 'tool') return json(response, 200, completion('From the north.'));
      const called = { name: 'document_library', arguments: JSON.stringify({ query: 'tramontane' }) };
      const tool_calls = [{ id: 'abcdefgh1', type: 'function', function: called }];
      const message = { role: 'assistant', content: '', tool_calls };
      json(response, 200, {
        ...(completion('') as object),
        choices: [{ index: 0, message, finish_reason: 'tool_calls' }],
      });
    });
    const page = await fresh(`?target=${encodeURIComponent(JSON.stringify({ kind: 'model', id: model }))}`);
    await page.locator('summary', { hasText: 'Libraries' }).click();
    await page.getByLabel('Winds').check();
    await say('Where does the tramontane blow from?');
    await page.getByText('Searched for “tramontane”.').waitFor();
    await page.getByText('From the north.', { exact: true }).waitFor();
    await checkPage(page);
    await shots(page, 'playground-libraries');
    await page.getByRole('button', { name: 'View code' }).click();
    await page.getByText('"document_library"').waitFor();
    await page.getByRole('tab', { name: 'Python' }).click();
    await page.getByText('client.beta.conversations.start_stream(').waitFor();
    await page.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('list', { name: 'Sources' }).getByRole('link').click();
    await page.getByTestId('mark').getByText('blows from the north').waitFor();
  });

  inFull.it('is as it was left after another page and after a reload', async () => {
    opened.upstream.answerWith((_, response) => json(response, 200, completion('Still here.')));
    const page = await fresh();
    await page.getByLabel('Model', { exact: true }).last().selectOption(model);
    await page.getByLabel('System prompt').fill('Be brief.');
    await say('Will you stay?');
    await page.getByText('Still here.').waitFor();
    const check = async () => {
      await page.getByText('Still here.').waitFor();
      expect(await page.getByLabel('System prompt').inputValue()).toBe('Be brief.');
      expect(await page.getByLabel('Model', { exact: true }).last().inputValue()).toBe(model);
    };
    await page.getByRole('link', { name: 'Prompts' }).first().click();
    await page.getByRole('heading', { level: 1, name: 'Prompts' }).waitFor();
    await page.getByRole('link', { name: 'Playground' }).first().click();
    await check();
    await page.reload();
    await check();
  });

  inFull.it(
    'sends a message that failed once, forgets a refusal that is mended, and copies code that can be sent',
    async () => {
      const { upstream } = opened;
      upstream.answerWith((_, response) => json(response, 400, { message: 'not now' }));
      const page = await fresh();
      await say('First try');
      const refusal = page.getByTestId('talk').getByRole('alert').filter({ hasText: 'Choose a model.' });
      await refusal.waitFor();
      await page.getByLabel('Model', { exact: true }).last().selectOption(model);
      await refusal.waitFor({ state: 'detached' });
      await page.getByRole('textbox', { name: 'Message' }).press('Enter');
      await page.getByRole('button', { name: 'Try again' }).waitFor();
      upstream.answerWith((_, response) => json(response, 200, completion('Better.')));
      await say('Second try');
      await page.getByText('Better.').waitFor();
      expect(upstream.calls.at(-1)?.body.messages).toEqual([{ role: 'user', content: 'Second try' }]);
      await page.getByRole('button', { name: 'View code' }).click();
      const code = await page.getByRole('dialog').locator('pre').textContent();
      expect(code).toContain('Second try');
      expect(code).not.toContain('Better.');
    },
  );

  inFull.it('compares two versions of a prompt, saves a new one and shows the request as code', async () => {
    opened.upstream.answerWith(({ body }, response) => {
      const [system] = body.messages as { content: string }[];
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const choice = { index: 0, delta: { content: `Obeying: ${system?.content}` }, finish_reason: 'stop' };
      response.end(
        `data: ${JSON.stringify({ id: 'x', model: 'm', created: 1, choices: [choice] })}\n\ndata: [DONE]\n\n`,
      );
    });
    const page = await fresh();
    await page.getByLabel('System prompt').fill('Greet {{customer}} briefly.');
    await page.getByRole('button', { name: 'Save as prompt' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('greeting');
    await page.getByRole('button', { name: 'Create prompt' }).click();
    await page.getByText('Saved as version 1 of greeting.').waitFor();
    const definition = { content: 'Greet {{customer}} at length.', variables: [{ name: 'customer' }] };
    const { server } = opened;
    // The first key belongs to the same user, who owns the private prompt.
    expect((await call(server, '/v2/prompts/greeting/versions', { body: { definition } })).status).toBe(200);

    const target = (at: string) => encodeURIComponent(JSON.stringify({ kind: 'prompt', name: 'greeting', at }));
    await fresh(`?target=${target('#1')}&other=${target('#2')}`);
    await page.getByLabel('Model for this prompt').first().selectOption(model);
    await page.getByRole('button', { name: 'Use this model' }).first().click();
    await page.getByText(`Uses model ${model}.`).first().waitFor();
    await page.getByLabel('customer').fill('Ms Ito');
    await say('Hello!');
    await page.getByText('Obeying: Greet Ms Ito briefly.').waitFor();
    await page.getByText('Obeying: Greet Ms Ito at length.').waitFor();
    await checkPage(page);
    await shots(page, 'playground-compare');

    await page.getByRole('button', { name: 'View code' }).click();
    await page.getByRole('tab', { name: 'Python' }).click();
    await page.getByText('model="prompt:greeting#1"').waitFor();
    await checkPage(page);
    await shots(page, 'playground-code');
  });

  inFull.it('keeps a session by name, edits a message, branches and goes back', async () => {
    const { upstream } = opened;
    upstream.answerWith(({ body }, response) => {
      const messages = body.messages as { role: string; content: string }[];
      json(response, 200, completion(`About ${messages.at(-1)?.content}.`));
    });
    const page = await fresh();
    await page.getByLabel('Model', { exact: true }).last().selectOption(model);
    await say('mistral');
    await page.getByText('About mistral.').waitFor();
    await page.getByRole('button', { name: 'Edit message' }).click();
    await page.getByLabel('Edited message').fill('bora');
    await page.getByRole('button', { name: 'Send again' }).click();
    await page.getByText('About bora.').waitFor();
    expect(await page.getByText('About mistral.').count()).toBe(0);
    expect(upstream.calls.at(-1)?.body.messages).toEqual([{ role: 'user', content: 'bora' }]);

    await page.getByRole('button', { name: 'Save session' }).click();
    await page.getByLabel('Session name').fill('Winds');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Session: Winds').waitFor();
    await checkPage(page);
    await shots(page, 'playground-session');
    await say('sirocco');
    await page.getByText('About sirocco.').waitFor();
    // At once, before the session has been saved by itself.
    await page.getByRole('button', { name: 'Branch from here' }).last().click();
    await page.getByText('Session: Winds (branch)').waitFor();
    await page.getByText('About sirocco.').waitFor({ state: 'detached' });
    await say('levanter');
    await page.getByText('About levanter.').waitFor();

    await page.getByRole('button', { name: 'Sessions' }).click();
    const dialog = page.getByRole('dialog', { name: 'Sessions' });
    await dialog.getByRole('button', { name: /^Winds \(branch\)/ }).waitFor();
    await checkPage(page);
    await shots(page, 'playground-sessions');
    await dialog
      .getByRole('button', { name: /^Winds(?! \(branch\))/ })
      .first()
      .click();
    await page.getByText('About sirocco.').waitFor();
    expect(await page.getByText('About levanter.').count()).toBe(0);

    await page.getByRole('button', { name: 'Sessions' }).click();
    await dialog.getByRole('button', { name: 'Actions for Winds', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Share and copy link' }).click();
    await page.getByText('The link was copied.').waitFor();
    const link = (await page.evaluate('navigator.clipboard.readText()')) as string;
    await page.evaluate('sessionStorage.clear()');
    await page.goto(opened.at('/models'));
    await page.goto(link);
    await page.getByText('About sirocco.').waitFor();
    await page.getByText('Session: Winds', { exact: true }).waitFor();
  });

  inFull.it('sends pictures, texts and documents that were dropped, pasted or chosen', async () => {
    const { upstream } = opened;
    upstream.answerWith((_, response) => json(response, 200, completion('I see.')));
    const page = await fresh(`?target=${encodeURIComponent(JSON.stringify({ kind: 'model', id: model }))}`);
    const dot = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
    await page.locator('input[type=file]').setInputFiles([
      { name: 'dot.png', mimeType: 'image/png', buffer: Buffer.from(dot, 'base64') },
      { name: 'notes.md', mimeType: 'text/markdown', buffer: Buffer.from('The wind is cold.') },
    ]);
    await page.getByRole('list', { name: 'Attached files' }).getByText('notes.md').waitFor();
    await checkPage(page);
    await shots(page, 'playground-attached');
    await say('What is this?');
    await page.getByText('I see.').waitFor();
    await page.getByRole('img', { name: 'dot.png' }).waitFor();
    const messages = (upstream.calls.at(-1)?.body.messages ?? []) as { content: { type: string; text?: string }[] }[];
    const [sent] = messages;
    expect(sent?.content.map(({ type }) => type)).toEqual(['image_url', 'text', 'text']);
    expect(sent?.content[1]?.text).toContain('The wind is cold.');
    await checkPage(page);
    await shots(page, 'playground-files');
  });

  inFull.it(
    'has up to four panes with settings of their own, and shows code in colours and what an answer costs',
    async () => {
      const { upstream } = opened;
      const code = '```ts\nconst wind = measure("north"); // cold\n```';
      upstream.answerWith(({ body }, response) => {
        const [system] = body.messages as { content: string }[];
        json(response, 200, completion(`${system?.content}\n\n${code}`));
      });
      const page = await fresh(`?target=${encodeURIComponent(JSON.stringify({ kind: 'model', id: model }))}`);
      await page.getByLabel('System prompt', { exact: true }).fill('First.');
      const button = (name: string) => page.getByRole('button', { name, exact: true });
      await button('Compare').click();
      await page.getByLabel('Same settings for all panes').uncheck();
      await page.getByLabel('System prompt', { exact: true }).fill('Second.');
      await button('Compare').click();
      await page.getByLabel('System prompt', { exact: true }).fill('Third.');
      await button('Compare').click();
      await page.getByLabel('System prompt', { exact: true }).fill('Fourth.');
      expect(await button('Compare').count()).toBe(0);
      await say('Go');
      for (const word of ['First.', 'Second.', 'Third.', 'Fourth.'])
        await page.getByTestId('answer').getByText(word, { exact: true }).waitFor();
      expect(await page.locator('code [class*=_keyword_]').first().textContent()).toBe('const');
      await page
        .getByText(/0\.\d+ EUR|0\.\d+ USD/)
        .first()
        .waitFor();
      await checkPage(page);
      await shots(page, 'playground-four');
      await button('Remove pane 4').click();
      expect(await page.getByTestId('pane').count()).toBe(3);
    },
  );
});
