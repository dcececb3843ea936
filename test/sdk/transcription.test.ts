import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { audioFixture } from '../../src/engines/transcribe/sounds-for-tests.ts';
import { startTranscriber, TRANSCRIPT } from '../../src/transcription/upstream-for-tests.ts';
import { sqliteForTests } from '../support/databases.ts';
import { python } from '../support/python.ts';
import { runPython } from '../support/run-python.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

let server: TestServer;
beforeAll(async () => {
  const { url } = await startTranscriber();
  server = await startTestServer(sqliteForTests(), {
    file: { models: [{ id: 'ear', engine: 'upstream', url, kind: 'transcription' }] },
  });
});

describe.skipIf(!python)('the official Python SDK', () => {
  it('transcribes, whole and streamed [TRANSCRIPTION-CREATE] [TRANSCRIPTION-STREAM]', async () => {
    const script = fileURLToPath(new URL('transcription.py', import.meta.url));
    const stdout = await runPython(script, [server.url, server.key, audioFixture('opus.ogg')]);
    const { whole, events } = JSON.parse(stdout) as { whole: unknown; events: { event: string; data: unknown }[] };
    expect(whole).toMatchObject({
      model: 'ear',
      text: TRANSCRIPT.text,
      language: 'en',
      segments: [{ text: 'Good morning.', start: 0, end: 1.5 }, { end: 3.2 }],
      usage: { prompt_audio_seconds: 4 },
    });
    expect(events.map(({ event }) => event)).toEqual([
      'transcription.language',
      'transcription.segment',
      'transcription.segment',
      'transcription.text.delta',
      'transcription.done',
    ]);
    expect(events.at(-1)?.data).toMatchObject({ text: TRANSCRIPT.text });
  });
});
