import { Template } from '@huggingface/jinja';
import type { EngineMessage, EngineTool } from '../../engine.ts';
import { Refusal } from '../../process/protocol.ts';
import { type CallStyle, TAGGED_CALLS } from '../grammar/answer-grammar.ts';
import { createShield, type Segment } from './shield-control-text.ts';
import { type TemplateMessage, templateMessages } from './template-messages.ts';

export type ChatTemplate = {
  callStyle: CallStyle;
  render(input: TemplateInput): RenderedPrompt;
};

export type TemplateInput = {
  messages: EngineMessage[];
  tools: EngineTool[];
  /** Added to the client's system message. */
  instruction?: string;
  allowThinking: boolean;
};

export type RenderedPrompt = { segments: Segment[]; startsThinking: boolean };

export type TemplateSource = { text: string | undefined; bos: string; eos: string; controlTexts: string[] };

const CHATML =
  "{% for message in messages %}{{'<|im_start|>' + message['role'] + '\\n' + message['content'] + '<|im_end|>' + '\\n'}}{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}";

/** The model's own Jinja template, parsed once. Models without one are spoken to in ChatML. */
export function createChatTemplate(source: TemplateSource): ChatTemplate {
  const text = source.text ?? CHATML;
  const template = new Template(text);
  const knowsTools = /\btools\b/.test(text);
  const callStyle = callStyleOf(text, knowsTools);
  const shield = createShield(source.controlTexts);

  function run(messages: unknown[], tools: unknown[] | undefined, allowThinking: boolean): string {
    return template.render({
      messages,
      ...(tools ? { tools } : {}),
      add_generation_prompt: true,
      bos_token: source.bos,
      eos_token: source.eos,
      enable_thinking: allowThinking,
    });
  }

  return {
    callStyle,
    render({ messages, tools, instruction, allowThinking }) {
      const last = messages.at(-1);
      const prefix = last?.role === 'assistant' && last.prefix ? last.content : '';
      const before = last?.role === 'assistant' && last.prefix ? messages.slice(0, -1) : messages;
      const shielded = shield.cover({
        messages: templateMessages({ messages: before, tools, instruction, knowsTools, callStyle }),
        tools: tools.map(({ name, description, parameters }) => ({
          type: 'function',
          function: { name, description, parameters },
        })),
      });
      const offered = knowsTools && tools.length > 0 ? shielded.value.tools : undefined;
      const rendered = renderAnyhow(shielded.value.messages, (list) => run(list, offered, allowThinking));
      const opensThinking = /<think>\s*$|\[THINK\]\s*$/.test(rendered);
      // Where thoughts are not wanted, the template's open thought is closed again.
      const close = rendered.trimEnd().endsWith(']') ? '[/THINK]' : '</think>';
      const closed = opensThinking && !allowThinking ? `${rendered.trimEnd()}\n\n${close}\n\n` : rendered;
      return {
        segments: [...shielded.uncover(closed), { text: prefix, isSpecial: false }].filter((part) => part.text !== ''),
        startsThinking: opensThinking && allowThinking && prefix === '',
      };
    },
  };
}

/** Some templates refuse a system message, or two of a role in a row; their text moves into the user's message. */
function renderAnyhow(messages: TemplateMessage[], run: (messages: TemplateMessage[]) => string): string {
  try {
    return run(messages);
  } catch (cause) {
    try {
      return run(withoutSystem(messages));
    } catch {
      const reason = cause instanceof Error ? cause.message : 'no reason given';
      throw new Refusal('messages_rejected', `The model's chat template does not accept these messages: ${reason}`, {
        cause,
      });
    }
  }
}

function withoutSystem(messages: TemplateMessage[]): TemplateMessage[] {
  const merged: TemplateMessage[] = [];
  for (const message of messages) {
    const role = message.role === 'system' ? 'user' : message.role;
    const before = merged.at(-1);
    if (before && before.role === role && role === 'user') before.content += `\n\n${message.content}`;
    else merged.push({ ...message, role });
  }
  return merged;
}

function callStyleOf(text: string, knowsTools: boolean): CallStyle {
  if (!knowsTools || text.includes('<tool_call>')) return TAGGED_CALLS;
  if (text.includes('[TOOL_CALLS]'))
    return { open: '[TOOL_CALLS]', close: '', argumentsKey: 'arguments', isList: true };
  const argumentsKey = /"parameters"/.test(text) ? 'parameters' : 'arguments';
  return text.includes('<|python_tag|>') ? { ...TAGGED_CALLS, argumentsKey } : TAGGED_CALLS;
}
