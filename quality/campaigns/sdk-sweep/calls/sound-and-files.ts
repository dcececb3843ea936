import { deepEqual, equal, ok } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import consumers from 'node:stream/consumers';
import { wavForTests } from '../../../../src/speech/speech-for-tests.ts';
import { collect } from '../collect.ts';
import type { Chapter } from '../platform.ts';

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

export const libraries: Chapter = async ({ beta: { libraries: room } }) => {
  const { id: libraryId } = await room.create({
    name: 'Tides',
    description: 'Of the sea.',
    chunkSize: 512,
    ownerType: 'User',
  });
  ok((await room.list({ search: 'tid', filterOwnedByMe: true, page: 0 })).data.some(({ id }) => id === libraryId));
  equal((await room.update({ libraryId, updateLibraryRequest: { name: 'Seas' } })).name, 'Seas');
  await room.librariesUpdateV1({ libraryId, updateLibraryRequest: { description: 'Of all seas.' } });
  equal((await room.get({ libraryId })).description, 'Of all seas.');
  const { documents, accesses } = room;
  const file = { fileName: 'tide.md', content: Buffer.from('# Tide\n\nIt rises twice a day.\n') };
  const { id: documentId } = await documents.upload({ libraryId, requestBody: { file } });
  const place = { libraryId, documentId };
  while ((await documents.status(place)).processingStatus === 'Running');
  equal((await documents.get(place)).processStatus, 'done');
  ok((await documents.textContent({ ...place, pageStart: 0, pageEnd: 0 })).text.includes('rises'));
  const attributes = { sea: 'north', depths: [1, 2], isOpen: true };
  const expiresAt = new Date(Date.now() + 86_400_000);
  equal(
    (await documents.update({ ...place, updateDocumentRequest: { attributes, expiresAt } })).attributes?.sea,
    'north',
  );
  await documents.librariesDocumentsUpdateV1({ ...place, updateDocumentRequest: { name: 'sea.md' } });
  const asked = { libraryId, search: 'sea', filtersAttributes: '{"sea":"north"}', sortBy: 'name', sortOrder: 'asc' };
  equal((await documents.list({ ...asked, pageSize: 10, page: 0 })).pagination.totalItems, 1);
  for (const url of [await documents.getSignedUrl(place), await documents.extractedTextSignedUrl(place)])
    ok((await (await fetch(url)).text()).includes('Tide'));
  await documents.reprocess(place);
  const [owner] = (await accesses.list({ libraryId })).data;
  const entity = { shareWithUuid: owner?.orgId ?? '', shareWithType: 'Org' as const, orgId: owner?.orgId ?? '' };
  equal((await accesses.updateOrCreate({ libraryId, sharingRequest: { ...entity, level: 'Viewer' } })).role, 'Viewer');
  await accesses.delete({ libraryId, sharingDelete: entity });
  await documents.delete(place);
  await room.delete({ libraryId });
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
