import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { toWav } from '../../src/engines/upstream/pcm.ts';
import { reply, startTranscriber, TRANSCRIPT } from '../../src/transcription/upstream-for-tests.ts';
import { atEnd } from '../../test/support/cleanup.ts';
import { inFull } from '../../test/support/in-full.ts';
import { checkPage } from './support/check-page.ts';
import { chromiumPath } from './support/chromium.ts';
import { model, type OpenConsole, openConsole } from './support/open-console.ts';
import { shots } from './support/shots.ts';

const RATE = 48_000;

inFull.given(chromiumPath).describe('transcription', () => {
  let opened: OpenConsole;
  let transcriber: Awaited<ReturnType<typeof startTranscriber>>;
  let recording: string;
  beforeAll(async () => {
    transcriber = await startTranscriber();
    const folder = mkdtempSync(join(tmpdir(), 'microphone-'));
    atEnd(() => rmSync(folder, { recursive: true }));
    recording = join(folder, 'tone.wav');
    const tone = Float32Array.from({ length: RATE }, (_, at) => 0.5 * Math.sin((at * 300 * 2 * Math.PI) / RATE));
    writeFileSync(recording, toWav(tone, RATE));
    const { url } = transcriber;
    opened = await openConsole({
      microphone: recording,
      file: {
        models: [
          { id: 'ear', engine: 'upstream', url, kind: 'transcription' },
          { id: model, engine: 'upstream', url, capabilities: { completion_chat: true } },
        ],
      },
    });
  });

  it('a file becomes lines with times and speakers, which can be corrected and exported', async () => {
    const { page } = opened;
    const segments = TRANSCRIPT.segments.map((segment, at) => ({ ...segment, speaker_id: `speaker_${at + 1}` }));
    transcriber.answerWith((_form, response) => reply(response, 200, { ...TRANSCRIPT, segments }));
    await page.goto(opened.at('/transcription'));
    await page.getByRole('heading', { level: 1, name: 'Transcription' }).waitFor();
    await page.getByLabel('Audio file').setInputFiles(recording);
    await page.getByLabel('Tell speakers apart').check();
    await page.getByRole('button', { name: 'Transcribe' }).click();
    await page.getByLabel('Speaker 1').fill('Ann');
    expect(transcriber.forms.at(-1)?.fields).toMatchObject({ stream: ['true'], diarize: ['true'] });
    await page.getByLabel('Text at 0:00').fill('Good evening.');
    await checkPage(page);
    await shots(page, 'transcription-file');
    for (const [name, part] of [
      ['Text', 'Ann: Good evening.\n\nspeaker_2: How are you?\n'],
      ['SRT', '1\n00:00:00,000 --> 00:00:01,500\nAnn: Good evening.\n'],
      ['VTT', 'WEBVTT\n\n00:00:00.000 --> 00:00:01.500\nAnn: Good evening.\n'],
      ['JSON', '"speaker_id": "Ann"'],
    ] as const) {
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name, exact: true }).click(),
      ]);
      expect(download.suggestedFilename()).toMatch(/^tone\.(txt|srt|vtt|json)$/);
      expect(readFileSync(await download.path(), 'utf8')).toContain(part);
    }
  });

  it('the microphone is heard: words come while it records, and the whole in the end', async () => {
    const { page } = opened;
    transcriber.live.sound.length = 0;
    await page.goto(opened.at('/transcription'));
    await page.getByText('Microphone', { exact: true }).click();
    await page.getByRole('button', { name: 'Record' }).click();
    await page.getByRole('log', { name: 'Live words' }).getByText('Good morning.').waitFor();
    await expect.poll(() => Buffer.concat(transcriber.live.sound).length, { timeout: 20_000 }).toBeGreaterThan(32_000);
    await checkPage(page);
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByLabel('Text at 0:01').waitFor();
    expect(await page.getByLabel('Text at 0:01').inputValue()).toBe('How are you?');
    expect(transcriber.live.rate).toBe(16_000);
    expect(pitchOf(Buffer.concat(transcriber.live.sound))).toBeCloseTo(300, -2);
    await shots(page, 'transcription-microphone');
  });

  it('the playground takes a message from the microphone', async () => {
    const { page } = opened;
    await page.goto(opened.at('/playground'));
    await page.getByRole('textbox', { name: 'Message' }).fill('To Ann:');
    await page.getByRole('button', { name: 'Dictate' }).click();
    const message = page.getByRole('textbox', { name: 'Message' });
    await expect.poll(() => message.inputValue(), { timeout: 20_000 }).toBe('To Ann: Good morning.');
    await page.getByRole('button', { name: 'Stop dictation' }).click();
    await expect.poll(() => message.inputValue(), { timeout: 20_000 }).toBe('To Ann: Good morning. How are you?');
    await page.getByRole('button', { name: 'Dictate' }).waitFor();
  });

  it('a file that cannot be read and a microphone that the browser refuses are explained', async () => {
    const { page, context } = opened;
    await context.clearPermissions();
    transcriber.answerWith((_form, response) => reply(response, 400, { message: 'not audio' }));
    await page.goto(opened.at('/transcription'));
    await page.getByLabel('Audio file').setInputFiles(recording);
    await page.getByRole('button', { name: 'Transcribe' }).click();
    await page.getByRole('alert').getByText('does not accept').waitFor();
    await page.getByText('Microphone', { exact: true }).click();
    await page.getByRole('button', { name: 'Record' }).click();
    await page.getByRole('alert').getByText('does not allow').waitFor();
  });
});

/** In Hz, by counting how often the sound passes zero upwards. */
function pitchOf(bytes: Buffer): number {
  let crossings = 0;
  for (let at = 2; at < bytes.length - 1; at += 2)
    if (bytes.readInt16LE(at - 2) < 0 && bytes.readInt16LE(at) >= 0) crossings += 1;
  return crossings / (bytes.length / 2 / 16_000);
}
