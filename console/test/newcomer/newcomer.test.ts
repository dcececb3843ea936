import { beforeAll, describe, it, onTestFailed } from 'vitest';
import { chatWeightsForTests, embeddingWeightsForTests } from '../../../src/engines/weights/weights-for-tests.ts';
import { workFor } from '../../../src/workflows/work-for-tests.ts';
import { inFull } from '../../../test/support/in-full.ts';
import { isFull } from '../../../test/support/rounds.ts';
import { chromiumPath } from '../support/chromium.ts';
import { fail, steps } from '../workflows/fixture.ts';
import { moderateText, readPicture, stopAndResume, trainClassifier, transcribe } from './check-tasks.ts';
import { addModelServer, compareModels, firstChat, pullModel } from './model-tasks.ts';
import { type Newcomer, SLOW_MS, welcome } from './newcomer.ts';
import { account, findByCtrlK, invite, keyWithBudget, usageCsv } from './people-tasks.ts';
import { approveTool, askDocument, connectMcp, findFailedRun, promotePrompt, uploadBatch } from './work-tasks.ts';

const weights = chromiumPath && (await chatWeightsForTests()) && (await embeddingWeightsForTests());

type Task = [title: string, run: (newcomer: Newcomer) => Promise<void>, isShort?: 'short'];

/** In the order of a first day. The short ones run in every test run. */
const tasks: Task[] = [
  ['chats for the first time', firstChat],
  ['invites a colleague, who can begin at once', invite],
  ['makes an API key with a budget', keyWithBudget, 'short'],
  ['adds a model server', addModelServer],
  ['downloads a model', pullModel],
  ['compares two models', compareModels],
  ['asks a document', askDocument],
  ['promotes a prompt', promotePrompt],
  ['approves a tool call', approveTool],
  ['finds a run that failed, and why', findFailedRun],
  ['uploads a batch and downloads its results', uploadBatch],
  ['reads a picture', readPicture],
  ['trains a classifier', trainClassifier],
  ['moderates a text', moderateText],
  ['transcribes a recording', transcribe],
  ['connects an editor by MCP', connectMcp],
  ['changes the password and sets up a second factor', account],
  ['finds a setting and a model by Ctrl K', findByCtrlK],
  ['downloads the usage as CSV', usageCsv],
  ['stops an evaluation and resumes it', stopAndResume],
];

/** Twenty tasks by what is visible alone: names of links, buttons and fields; no address, no test id, no documentation. */
describe.runIf(weights)('a newcomer', () => {
  let newcomer: Newcomer;
  beforeAll(async () => {
    newcomer = await welcome();
    if (isFull) await workFor(newcomer.app.server, [fail], steps);
  });

  for (const [title, run, isShort] of tasks)
    (isShort ? it : inFull.it)(title, { timeout: SLOW_MS * 2 }, async () => {
      const { page, app } = newcomer;
      onTestFailed(async () => console.error(await page.locator('body').ariaSnapshot()));
      await page.goto(app.at('/'));
      await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
      await run(newcomer);
    });
});
