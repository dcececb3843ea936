import type { Migration } from '../src/kit/db/index.ts';
import { foundations } from './0001-foundations.ts';
import { metering } from './0002-metering.ts';
import { fineTunedModels } from './0003-fine-tuned-models.ts';
import { versions } from './0004-versions.ts';
import { skills } from './0005-skills.ts';
import { files } from './0006-files.ts';
import { conversations } from './0010-conversations.ts';
import { agents } from './0011-agents.ts';
import { customVoices } from './0013-custom-voices.ts';
import { administration } from './0014-administration.ts';
import { workflowEngine } from './0015-workflow-engine.ts';
import { workflowRegistry } from './0016-workflow-registry.ts';
import { auditRetention } from './0017-audit-retention.ts';
import { batch } from './0018-batch.ts';
import { sessions } from './0019-sessions.ts';
import { workflowsOnTemporal } from './0021-workflows-on-temporal.ts';
import { pythonWorkers } from './0022-python-workers.ts';
import { signalReaders } from './0023-signal-readers.ts';
import { pythonWorkersMended } from './0024-python-workers-mended.ts';
import { scheduleKeys } from './0027-schedule-keys.ts';
import { accounts } from './0028-accounts.ts';
import { turnsByTenant } from './0029-turns-by-tenant.ts';
import { schedulePauses } from './0030-schedule-pauses.ts';
import { storageLimits } from './0031-storage-limits.ts';
import { workflowChains } from './0033-workflow-chains.ts';
import { shareRelations } from './0034-share-relations.ts';
import { responses } from './0037-responses.ts';
import { libraries } from './0038-libraries.ts';
import { retrieval } from './0039-retrieval.ts';
import { connectors } from './0040-connectors.ts';
import { spans } from './0041-spans.ts';
import { datasets } from './0042-datasets.ts';
import { evaluations } from './0043-evaluations.ts';
import { spanContents } from './0044-span-contents.ts';
import { librarySources } from './0045-library-sources.ts';
import { connectorOwners } from './0047-connector-owners.ts';
import { spanPartitions } from './0050-span-partitions.ts';
import { forgetExplanations } from './0051-forget-explanations.ts';
import { connectorUses } from './0052-connector-uses.ts';
import { serviceAccounts } from './0053-service-accounts.ts';
import { signIn } from './0054-sign-in.ts';
import { webhooks } from './0055-webhooks.ts';
import { notifications } from './0056-notifications.ts';
import { classifiers } from './0057-classifiers.ts';
import { responsesInRuns } from './0059-responses-in-runs.ts';
import { sessionChecks } from './0061-session-checks.ts';
import { classifierTrainings } from './0062-classifier-trainings.ts';
import { consoleWork } from './0063-console-work.ts';
import { storedModels } from './0064-stored-models.ts';
import { listOrder } from './0065-list-order.ts';
import { roomForTurns } from './0068-room-for-turns.ts';
import { modelAdapters } from './0070-model-adapters.ts';
import { growingLists } from './0074-growing-lists.ts';
import { listedCounts } from './0076-listed-counts.ts';
import { listedTexts } from './0077-listed-texts.ts';
import { shorterTurns } from './0078-shorter-turns.ts';
import { eventBatches } from './0079-event-batches.ts';
import { deploymentsByChange } from './0082-deployments-by-change.ts';
import { placeOfAPage } from './0084-place-of-a-page.ts';
import { placesAndTrees } from './0085-places-and-trees.ts';
import { formsOfEvents } from './0086-forms-of-events.ts';
import { whatWasLeftOut } from './0087-what-was-left-out.ts';
import { quarantine } from './0088-quarantine.ts';
import { quarantinedTasks } from './0089-quarantined-tasks.ts';

/** In the order in which they run. A landed migration is never edited; a change is a new migration at the end. */
export const migrations: Migration[] = [
  foundations,
  metering,
  fineTunedModels,
  versions,
  skills,
  files,
  conversations,
  agents,
  customVoices,
  administration,
  workflowEngine,
  workflowRegistry,
  auditRetention,
  batch,
  sessions,
  workflowsOnTemporal,
  pythonWorkers,
  signalReaders,
  pythonWorkersMended,
  scheduleKeys,
  accounts,
  turnsByTenant,
  schedulePauses,
  storageLimits,
  workflowChains,
  shareRelations,
  responses,
  libraries,
  retrieval,
  connectors,
  spans,
  datasets,
  evaluations,
  spanContents,
  librarySources,
  connectorOwners,
  spanPartitions,
  forgetExplanations,
  connectorUses,
  serviceAccounts,
  signIn,
  webhooks,
  notifications,
  classifiers,
  responsesInRuns,
  sessionChecks,
  classifierTrainings,
  consoleWork,
  storedModels,
  listOrder,
  roomForTurns,
  modelAdapters,
  growingLists,
  listedCounts,
  listedTexts,
  shorterTurns,
  eventBatches,
  deploymentsByChange,
  placeOfAPage,
  placesAndTrees,
  formsOfEvents,
  whatWasLeftOut,
  quarantine,
  quarantinedTasks,
];
