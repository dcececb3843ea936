import { equal, ok } from 'node:assert/strict';
import { setTimeout } from 'node:timers/promises';
import type { Chapter } from '../platform.ts';

const SPANS_WRITTEN_MS = 250;
const messages = [{ role: 'user' as const, content: 'Hi' }];
const searchExpression = "operation_name = 'chat' AND request_model = 'small'";

const judging = {
  description: 'Of the sweep',
  modelName: 'small',
  output: { type: 'REGRESSION' as const, minDescription: 'bad', maxDescription: 'good' },
  instructions: 'Judge it.',
  tools: [],
};

export const judges: Chapter = async ({ beta: { observability } }) => {
  const { judges: room } = observability;
  const definition = { ...judging, name: `Judge ${Math.random()}` };
  const { id: judgeId } = await room.create(definition);
  equal((await room.fetch({ judgeId })).name, definition.name);
  ok(
    ((await room.list({ q: definition.name, typeFilter: ['REGRESSION'], modelFilter: ['small'] })).judges.count ?? 0) >
      0,
  );
  await room.update({ judgeId, updateJudgeRequest: { ...definition, description: 'Changed' } });
  equal((await room.judgeConversation({ judgeId, judgeConversationRequest: { messages } })).answer, 1);
  await room.delete({ judgeId });
};

export const datasets: Chapter = async ({ files, beta: { observability } }) => {
  const { datasets: room } = observability;
  const { records } = room;
  const { id: datasetId } = await room.create({ name: 'Of the sweep', description: '' });
  await room.update({ datasetId, updateDatasetRequest: { description: 'Changed' } });
  equal((await room.fetch({ datasetId })).description, 'Changed');
  ok((await room.list({ q: 'sweep' })).datasets.count > 0);
  const payload = { messages };
  const { id: datasetRecordId } = await room.createRecord({ datasetId, createDatasetRecordRequest: { payload } });
  equal((await room.listRecords({ datasetId })).records.count, 1);
  await records.updatePayload({ datasetRecordId, updateDatasetRecordPayloadRequest: { payload: { a: 1 } } });
  await records.updateProperties({ datasetRecordId, updateDatasetRecordPropertiesRequest: { properties: { b: 2 } } });
  equal((await records.fetch({ datasetRecordId })).payload.a, 1);
  const judgeDatasetRecordRequest = { judgeDefinition: { ...judging, name: 'Of a record' } };
  equal((await records.judge({ datasetRecordId, judgeDatasetRecordRequest })).answer, 1);
  const content = new Blob([JSON.stringify({ messages })]);
  const { id: fileId } = await files.upload({ file: { fileName: 'records.jsonl', content }, purpose: 'batch' });
  await room.importFromFile({ datasetId, importDatasetFromFileRequest: { fileId } });
  const datasetRecordIds = [datasetRecordId];
  const task = await room.importFromDatasetRecords({
    datasetId,
    importDatasetFromDatasetRequest: { datasetRecordIds },
  });
  equal((await room.fetchTask({ datasetId, taskId: task.id })).id, task.id);
  equal((await room.listTasks({ datasetId })).tasks.count, 2);
  await room.importFromPlayground({
    datasetId,
    importDatasetFromPlaygroundRequest: { conversationIds: ['conv_none'] },
  });
  ok((await room.exportToJsonl({ datasetId })).fileUrl);
  await records.delete({ datasetRecordId });
  await records.bulkDelete({ datasetRecordIds });
  await room.delete({ datasetId });
};

export const spansAndTraces: Chapter = async ({ chat, beta: { observability } }) => {
  const { spans, traces } = observability;
  await chat.complete({ model: 'small', messages });
  const search = async () => (await spans.searchSpans({ spansRequest: { searchExpression } })).spans.results ?? [];
  let [span] = await search();
  for (; !span; [span] = await search()) await setTimeout(SPANS_WRITTEN_MS);
  const { traceId, spanId } = span;
  equal(span.responseModel, 'small');
  equal((await traces.getSpanById({ traceId, spanId })).spanName, span.spanName);
  ok(((await traces.getTraceSpans({ traceId })).spans.results?.length ?? 0) > 0);
  equal((await traces.getTraceById({ traceId })).traceId, traceId);
  ok(((await traces.search({ tracesRequest: {} })).traces.results?.length ?? 0) > 0);
  const aggregationRequest = { metric: { measure: 'span_id', aggregation: 'count' as const } };
  ok(Number((await spans.aggregate({ aggregationRequest })).data[0]?.metricValue) > 0);
  const traceRequest = { metric: { measure: 'trace_id', aggregation: 'count' as const } };
  ok(Number((await traces.aggregate({ aggregationRequest: traceRequest })).data[0]?.metricValue) > 0);
  ok((await spans.listSpanFields()).fieldDefinitions.length > 0);
  ok((await traces.getTraceFields()).fieldDefinitions.length > 0);
  ok((await spans.fetchSpanFieldOptions({ fieldName: 'response_model' })).options?.includes('small'));
  ok(((await traces.fetchOptions({ fieldName: 'root_span_name' })).options?.length ?? 0) > 0);
};

export const pipelines: Chapter = async ({ beta: { observability } }) => {
  const { spans, evaluations } = observability;
  const definition = {
    targetAttributes: ['output_messages'],
    patterns: [{ name: 'mail', regex: '@', category: 'personal', confidence: 'high' }],
  };
  const config = {
    name: 'Mail',
    pipelineKind: 'detection' as const,
    selectors: [{ sourceKind: 'span' as const }],
    definition,
  };
  const { id: pipelineConfigId, definitionHash } = await evaluations.createPipelineConfig(config);
  ok(definitionHash.length > 0);
  ok(((await evaluations.listPipelineConfigs()).pipelineConfigs.results?.length ?? 0) > 0);
  equal((await evaluations.getPipelineConfig({ pipelineConfigId })).name, 'Mail');
  const updatePipelineConfigRequest = { ...config, enabled: false };
  equal((await evaluations.updatePipelineConfig({ pipelineConfigId, updatePipelineConfigRequest })).enabled, false);
  await evaluations.deletePipelineConfig({ pipelineConfigId });
  await spans.searchSpanEvaluations({ spanEvaluationsRequest: {} });
  await spans.searchLatestSpanEvaluations({ spanEvaluationsRequest: {} });
  ok((await spans.listSpanEvalFields()).fieldDefinitions.length > 0);
  await spans.fetchSpanEvalFieldOptions({ fieldName: 'evaluation_name' });
};

export const logs: Chapter = async ({ chat, beta: { observability } }) => {
  const parameters = { type: 'no such' };
  const tools = [{ type: 'function' as const, function: { name: 'f', parameters } }];
  await chat.complete({ model: 'small', messages, tools }).catch(() => undefined);
  const request = { logsRequest: { searchExpression: "severity_text = 'WARN'", order: 'asc' as const } };
  const search = async () => (await observability.logs.search(request)).logs.results ?? [];
  let [line] = await search();
  for (; !line; [line] = await search()) await setTimeout(SPANS_WRITTEN_MS);
  equal(line.eventName, 'request.failed');
  ok((await observability.logs.list()).fieldDefinitions.length > 0);
  ok((await observability.logs.fetchOptions({ fieldName: 'severity_text' })).options?.includes('WARN'));
};
