import { admin } from './benchmarks/admin.ts';
import { batch } from './benchmarks/batch.ts';
import { changes } from './benchmarks/changes.ts';
import { classifications } from './benchmarks/classifications.ts';
import { cluster } from './benchmarks/cluster.ts';
import { commits } from './benchmarks/commits.ts';
import { connectors } from './benchmarks/connectors.ts';
import { webConsole } from './benchmarks/console.ts';
import { conversations } from './benchmarks/conversations.ts';
import { embeddedAnswers } from './benchmarks/embedded-answers.ts';
import { embeddedChat } from './benchmarks/embedded-chat.ts';
import { embeddings } from './benchmarks/embeddings.ts';
import { endurance } from './benchmarks/endurance.ts';
import { gateway } from './benchmarks/gateway.ts';
import { growth } from './benchmarks/growth.ts';
import { identity } from './benchmarks/identity.ts';
import { idle } from './benchmarks/idle.ts';
import { idleStreams } from './benchmarks/idle-streams.ts';
import { libraries } from './benchmarks/libraries.ts';
import { lighthouse } from './benchmarks/lighthouse.ts';
import { litellm } from './benchmarks/litellm.ts';
import { memory } from './benchmarks/memory.ts';
import { ocr } from './benchmarks/ocr.ts';
import { ocrPages } from './benchmarks/ocr-pages.ts';
import { registry } from './benchmarks/registry.ts';
import { retrieval } from './benchmarks/retrieval.ts';
import { scale } from './benchmarks/scale.ts';
import { search } from './benchmarks/search.ts';
import { speech } from './benchmarks/speech.ts';
import { start } from './benchmarks/start.ts';
import { temporal } from './benchmarks/temporal.ts';
import { testRun } from './benchmarks/test-run.ts';
import { toolServer } from './benchmarks/tool-server.ts';
import { traces } from './benchmarks/traces.ts';
import { tracesLoad } from './benchmarks/traces-load.ts';
import { transcription } from './benchmarks/transcription.ts';
import { transcriptionErrors } from './benchmarks/transcription-errors.ts';
import { workflowMemory } from './benchmarks/workflow-memory.ts';
import { workflowPeers } from './benchmarks/workflow-peers.ts';
import { workflowReaders } from './benchmarks/workflow-readers.ts';
import { workflowReplay } from './benchmarks/workflow-replay.ts';
import { workflowRestart } from './benchmarks/workflow-restart.ts';
import { workflows } from './benchmarks/workflows.ts';
import { runCommand } from './command.ts';
import { keepFigures } from './keep-figures.ts';

await runCommand({
  usage: 'node quality/bench/run.ts',
  noun: 'benchmark',
  tries: 3,
  compares: true,
  parts: [
    identity,
    idle,
    idleStreams,
    start,
    commits,
    gateway,
    litellm,
    endurance,
    memory,
    embeddedAnswers,
    embeddedChat,
    embeddings,
    classifications,
    speech,
    transcription,
    transcriptionErrors,
    registry,
    changes,
    search,
    admin,
    growth,
    toolServer,
    workflows,
    workflowMemory,
    workflowPeers,
    workflowReaders,
    workflowReplay,
    workflowRestart,
    temporal,
    conversations,
    connectors,
    batch,
    ocr,
    ocrPages,
    libraries,
    traces,
    tracesLoad,
    retrieval,
    cluster,
    scale,
    webConsole,
    lighthouse,
    testRun,
  ],
  keep: (results) => keepFigures(results, new URL('../../docs/performance.md', import.meta.url)),
});
