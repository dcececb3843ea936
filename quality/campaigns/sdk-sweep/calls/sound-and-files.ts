import { deepEqual, equal, ok } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import consumers from 'node:stream/consumers';
import { wavForTests } from '../../../../src/speech/speech-for-tests.ts';
import type { Chapter } from '../call-typescript.ts';
import { collect } from '../collect.ts';

export const speech: Chapter = async ({ audio }) => {
  const asked = { input: 'Good day.', model: 'studio', responseFormat: 'wav' as const };
  equal(Buffer.from((await audio.speech.complete(asked)).audioData, 'base64').toString('latin1', 0, 4), 'RIFF');
  const events = await collect(await audio.speech.complete({ ...asked, stream: true }));
  equal(events.at(-1)?.event, 'speech.audio.done');
};

export const transcription: Chapter = async ({ audio: { transcriptions }, realtime }) => {
  const file = { fileName: 'day.wav', content: wavForTests() };
  const asked = { model: 'ear', file, language: 'en', timestampGranularities: ['segment' as const] };
  equal((await transcriptions.complete({ ...asked, contextBias: ['day', 'Ada'] })).segments?.[0]?.end, 1);
  equal((await collect(await transcriptions.stream(asked))).at(-1)?.event, 'transcription.done');
  ok((await realtime.sessions.create({ model: 'ear', purpose: 'realtime' })).clientSecret.value);
};

export const voices: Chapter = async ({ audio: { voices: room } }) => {
  const sampleAudio = wavForTests().toString('base64');
  const { id: voiceId } = await room.create({ name: 'Eva', languages: ['hu'], sampleAudio, sampleFilename: 'eva.wav' });
  equal((await room.update({ voiceId, voiceUpdateRequest: { tags: ['calm'] } })).tags?.[0], 'calm');
  equal((await room.get({ voiceId })).name, 'Eva');
  ok((await room.list({ type: 'all', limit: 50 })).items.some(({ id }) => id === voiceId));
  equal((await consumers.buffer(await room.getSampleAudio({ voiceId }))).toString('base64'), sampleAudio);
  equal((await room.delete({ voiceId })).id, voiceId);
};

export const files: Chapter = async ({ files: room }) => {
  const content = Buffer.from('{"n":1}\n');
  const { id: fileId } = await room.upload({ file: { fileName: 'a.jsonl', content }, purpose: 'batch', expiry: 5 });
  ok((await room.list({ search: 'a.jsonl', includeTotal: true })).data.some(({ id }) => id === fileId));
  equal((await room.retrieve({ fileId })).sizeBytes, content.length);
  deepEqual(await consumers.buffer(await room.download({ fileId })), content);
  const { url } = await room.getSignedUrl({ fileId, expiry: 1 });
  deepEqual(Buffer.from(await (await fetch(url)).arrayBuffer()), content);
  equal((await room.delete({ fileId })).deleted, true);
};

export const ocr: Chapter = async ({ files: room, ocr: reader }, { document }) => {
  const content = readFileSync(document);
  const { id: fileId } = await room.upload({ file: { fileName: 'book.pdf', content }, purpose: 'ocr' });
  const read = await reader.process({
    model: 'tesseract',
    document: { type: 'file', fileId },
    includeImageBase64: true,
    tableFormat: 'html',
    extractHeader: true,
    extractFooter: true,
    confidenceScoresGranularity: 'block',
  });
  ok(read.pages[0]?.markdown.includes('A page with a table and a picture.'));
  equal(read.pages[0]?.tables?.length, 1);
};

export const batch: Chapter = async ({ batch: { jobs } }) => {
  const request = (customId: string) => ({ customId, body: { messages: [{ role: 'user', content: customId }] } });
  const made = await jobs.create({
    endpoint: '/v1/chat/completions',
    model: 'small',
    requests: [request('a'), request('b')],
    metadata: { team: 'blue' },
  });
  let job = await jobs.get({ jobId: made.id, inline: true });
  while (job.status !== 'SUCCESS') job = await jobs.get({ jobId: made.id, inline: true });
  equal(job.outputs?.length, 2);
  ok((await jobs.list({ metadata: { team: 'blue' } })).data?.some(({ id }) => id === made.id));
  equal((await jobs.cancel({ jobId: made.id })).status, 'SUCCESS');
  equal((await jobs.delete({ jobId: made.id })).deleted, true);
};
