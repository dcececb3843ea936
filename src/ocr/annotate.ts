import { ChatCompletionRequest, type ChatService } from '../chat/index.ts';
import type { Call } from '../metering/index.ts';
import { adviseConfiguration, type Model, type ModelService, type OcrPage } from '../models/index.ts';
import { ocrErrors } from './errors.ts';
import type { OCRRequest } from './schema.ts';

const IMAGES_AT_ONCE = 4;
const ABOUT_PICTURE = 'Describe the picture as the schema asks. Answer with JSON only.';
const ABOUT_DOCUMENT =
  'Fill in the schema from the document that the user sends. Use only what the document says. Answer with JSON only.';

type Format = NonNullable<OCRRequest['document_annotation_format']>;

export type Annotating = {
  chat: Pick<ChatService, 'complete'>;
  models: Pick<ModelService, 'find' | 'served'>;
  /** The operator's choice, instead of the first model that can. */
  model: string | undefined;
};

export type Annotator = {
  document(pages: readonly OcrPage[], format: Format, prompt: string | null | undefined): Promise<string>;
  /** By the id of the picture. */
  pictures(pages: readonly OcrPage[], format: Format): Promise<Map<string, string>>;
};

/** Annotations are completions of a chat model, billed as such. The model is chosen before anything is read. */
export function createAnnotator({ chat, models, model }: Annotating, call: Call, needsVision: boolean): Annotator {
  const chosen = chooseModel(models, call.scope.workspace_id, model, needsVision);

  async function ask(system: string, content: UserContent, response_format: Format): Promise<string> {
    const messages = [
      { role: 'system', content: system },
      { role: 'user', content },
    ];
    const request = ChatCompletionRequest.parse({ model: chosen.id, messages, response_format, temperature: 0 });
    const { choices } = await chat.complete(call, request);
    const answer = choices?.[0]?.message?.content;
    return typeof answer === 'string' ? answer : JSON.stringify(answer ?? null);
  }

  return {
    document(pages, format, prompt) {
      const text = pages.map(({ markdown }) => markdown).join('\n\n');
      return ask(prompt ? `${ABOUT_DOCUMENT}\n\n${prompt}` : ABOUT_DOCUMENT, text, format);
    },
    async pictures(pages, format) {
      const annotations = new Map<string, string>();
      const waiting = pages.flatMap(({ images }) => images);
      const work = async () => {
        for (let image = waiting.shift(); image; image = waiting.shift()) {
          if (!image.image_base64) continue;
          const content: UserContent = [{ type: 'image_url', image_url: image.image_base64 }];
          annotations.set(image.id, await ask(ABOUT_PICTURE, content, format));
        }
      };
      await Promise.all(Array.from({ length: IMAGES_AT_ONCE }, work));
      return annotations;
    },
  };
}

type UserContent = string | { type: 'image_url'; image_url: string }[];

function chooseModel(
  models: Annotating['models'],
  workspaceId: string,
  name: string | undefined,
  needsVision: boolean,
): Model {
  const need = needsVision ? 'vision' : 'chat';
  const candidates =
    name === undefined
      ? models.served(workspaceId)
      : [models.find(name, workspaceId, need)].flatMap((model) => model ?? []);
  const able = candidates.find(
    ({ capabilities }) => capabilities.completion_chat && (capabilities.vision || !needsVision),
  );
  if (able) return able;
  throw ocrErrors.no_annotation_model(
    needsVision
      ? `Pictures cannot be annotated here: no chat model of this server has vision. ${adviseConfiguration(need)}`
      : `Documents cannot be annotated here: this server has no chat model. ${adviseConfiguration(need)}`,
  );
}
