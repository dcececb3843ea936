import type { Clock } from '../../kit/base/clock.ts';
import { hexId } from '../../kit/base/ids.ts';
import { type Call, type Meter, startRun } from '../../metering/index.ts';
import { type Classification, deprecationHeaders, type Model, type ModelService } from '../../models/index.ts';
import { tenantOf } from '../../tenants/index.ts';
import { classifierErrors } from '../errors.ts';
import { renderChat } from '../render-chat.ts';
import type { ClassificationResponse } from '../schema/classifications.ts';

const CHARACTERS_PER_TOKEN = 4;
const TEXTS_MAX = 512;
/** About a hundred thousand tokens, which take the embedding model about ten seconds. */
const CHARACTERS_MAX = 400_000;

type Chat = { messages: { role?: unknown; content?: unknown }[] };

export type ClassifierService = {
  /** One result per text, in order. */
  classify(call: Call, model: string, texts: string[]): Promise<ClassificationResponse>;
  classifyChats(call: Call, model: string, chats: Chat[]): Promise<ClassificationResponse>;
  /** Whether the caller's workspace knows a classifier by this name. */
  isClassifier(call: Call, name: string): boolean;
  /** The scores of one conversation, for rooms that judge by them. */
  scoreChat(call: Call, model: string, chat: Chat): Promise<{ model: string } & Classification>;
};

export type ClassifierPorts = { models: Pick<ModelService, 'find'>; meter: Meter; now: Clock };

export function createClassifierService({ models, meter, now }: ClassifierPorts): ClassifierService {
  function find({ scope, setHeader }: Call, name: string): Model {
    const model = models.find(name, scope.workspace_id, 'classification');
    if (!model) throw classifierErrors.classifier_not_found(name);
    for (const [header, value] of Object.entries(deprecationHeaders(model))) setHeader(header, value);
    return model;
  }

  async function score(call: Call, name: string, texts: string[]): Promise<{ model: string } & Classification> {
    const model = find(call, name);
    if (!classifies(model)) throw classifierErrors.classification_unsupported(model.id);
    const { engine } = model;
    const estimatedTokens = Math.ceil(checkTexts(texts) / CHARACTERS_PER_TOKEN);
    const run = await startRun({ now, meter }, call, { kind: 'classification', model: model.id, estimatedTokens });
    try {
      const classification = await engine.classify(texts, call.signal, run, tenantOf(call.scope));
      run.settle(200);
      return { model: model.id, ...classification };
    } catch (error) {
      throw run.fail(error);
    }
  }

  async function respond(call: Call, name: string, texts: string[]): Promise<ClassificationResponse> {
    const { model, results } = await score(call, name, texts);
    return {
      id: hexId(),
      model,
      results: results.map((targets) =>
        Object.fromEntries(Object.entries(targets).map(([target, scores]) => [target, { scores }])),
      ),
    };
  }

  return {
    classify: respond,
    classifyChats: async (call, model, chats) =>
      respond(
        call,
        model,
        chats.map(({ messages }) => renderChat(messages)),
      ),
    isClassifier({ scope }, name) {
      const model = models.find(name, scope.workspace_id, 'classification');
      return model !== undefined && classifies(model);
    },
    scoreChat: (call, model, { messages }) => score(call, model, [renderChat(messages)]),
  };
}

function classifies(model: Model): model is Model & { engine: { classify: NonNullable<Model['engine']['classify']> } } {
  return model.capabilities.classification && model.engine.classify !== undefined;
}

/** Returns their length. */
function checkTexts(texts: readonly string[]): number {
  if (texts.length === 0 || texts.some((text) => text.trim() === ''))
    throw classifierErrors.classification_input_invalid(
      'There is nothing to classify: send at least one text, and none that is empty.',
    );
  if (texts.length > TEXTS_MAX)
    throw classifierErrors.classification_input_invalid(
      `At most ${TEXTS_MAX} texts are classified at once, not ${texts.length}. Split them.`,
    );
  const characters = texts.reduce((sum, text) => sum + text.length, 0);
  if (characters > CHARACTERS_MAX)
    throw classifierErrors.classification_input_invalid(
      `At most ${CHARACTERS_MAX} characters are classified at once. Send less text.`,
    );
  return characters;
}
