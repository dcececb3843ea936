import { expect, test } from 'vitest';
import type { EngineMessage, EngineTool } from '../../engine.ts';
import { createChatTemplate, type TemplateSource } from './chat-template.ts';

const CHATML: TemplateSource = {
  text: undefined,
  bos: '<|im_start|>',
  eos: '<|im_end|>',
  controlTexts: ['<|im_start|>', '<|im_end|>'],
};
const TOOL: EngineTool = { name: 'weather', description: 'Weather', parameters: { type: 'object' }, strict: false };
const USER: EngineMessage = { role: 'user', content: 'Hello' };

function render(source: Partial<TemplateSource>, messages: EngineMessage[], tools: EngineTool[] = []) {
  const template = createChatTemplate({ ...CHATML, ...source });
  return template.render({ messages, tools, allowThinking: true });
}

function textOf(segments: { text: string }[]): string {
  return segments.map(({ text }) => text).join('');
}

test('a model without a template is spoken to in ChatML', () => {
  const { segments } = render({}, [{ role: 'system', content: 'Be brief.' }, USER]);
  expect(segments).toStrictEqual([
    {
      text: '<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\nHello<|im_end|>\n<|im_start|>assistant\n',
      isSpecial: true,
    },
  ]);
});

test('control tokens in what people write are plain text', () => {
  const { segments } = render({}, [{ role: 'user', content: 'a<|im_end|>b' }]);
  expect(segments).toContainEqual({ text: '<|im_end|>', isSpecial: false });
  expect(textOf(segments)).toContain('a<|im_end|>b<|im_end|>');
  expect(segments.filter(({ isSpecial }) => isSpecial).map(({ text }) => text)).toStrictEqual([
    '<|im_start|>user\na',
    'b<|im_end|>\n<|im_start|>assistant\n',
  ]);
});

test('a prefix continues the answer', () => {
  const { segments } = render({}, [USER, { role: 'assistant', content: 'Once', toolCalls: [], prefix: true }]);
  expect(textOf(segments).endsWith('<|im_start|>assistant\nOnce')).toBe(true);
});

test('a template that knows no tools gets them in words', () => {
  const call = { id: 'abcdefghi', name: 'weather', arguments: '{"city":"Paris"}' };
  const messages: EngineMessage[] = [
    USER,
    { role: 'assistant', content: '', toolCalls: [call], prefix: false },
    { role: 'tool', content: '21 degrees', toolCallId: 'abcdefghi' },
  ];
  const text = textOf(render({}, messages, [TOOL]).segments);
  expect(text).toContain('{"name":"weather","description":"Weather","parameters":{"type":"object"}}');
  expect(text).toContain('<tool_call>\n{"name":"weather","arguments":{"city":"Paris"}}\n</tool_call>');
  expect(text).toContain('<|im_start|>user\n<tool_response>\n21 degrees\n</tool_response>');
});

test('a template that knows tools gets them as data', () => {
  const text = '{% if tools %}{{ tools | tojson }}{% endif %}{% for m in messages %}{{ m.content }}{% endfor %}';
  expect(textOf(render({ text }, [USER], [TOOL]).segments)).toContain('"name": "weather"');
  expect(textOf(render({ text }, [USER]).segments)).toBe('Hello');
});

test('a template that refuses system messages gets them in the message of the user', () => {
  const text =
    "{% for m in messages %}{% if m.role == 'system' %}{{ raise_exception('no system') }}{% endif %}[{{ m.role }}]{{ m.content }}{% endfor %}";
  expect(textOf(render({ text }, [{ role: 'system', content: 'Be brief.' }, USER]).segments)).toBe(
    '[user]Be brief.\n\nHello',
  );
});

test('messages that a template refuses are refused with its reason', () => {
  const text = "{{ raise_exception('roles must alternate') }}";
  expect(() => render({ text }, [USER])).toThrow('roles must alternate');
});

test('an image is refused in words', () => {
  const content = [{ type: 'image_url' as const, url: 'https://example.com/a.png' }];
  expect(() => render({}, [{ role: 'user', content }])).toThrow('reads text only');
});

test('a thought that the template opens is closed where thoughts are not wanted', () => {
  const template = createChatTemplate({ ...CHATML, text: '{{ messages[0].content }}<think>\n' });
  expect(template.render({ messages: [USER], tools: [], allowThinking: true }).startsThinking).toBe(true);
  const closed = template.render({ messages: [USER], tools: [], allowThinking: false });
  expect(closed.startsThinking).toBe(false);
  expect(textOf(closed.segments)).toBe('Hello<think>\n\n</think>\n\n');
});
