import { json, type ScriptedUpstream, startUpstream } from '../../test/support/upstream.ts';

/** A model server that embeds a text as its length, and fills in by repeating what it was sent. */
export async function embedLengths(): Promise<ScriptedUpstream> {
  const upstream = await startUpstream();
  upstream.answerWith(({ body, path }, response) => {
    if (path.endsWith('/embeddings')) {
      const data = (body.input as string[]).map((text, index) => ({ index, embedding: [text.length, 1, 2, 3] }));
      return json(response, 200, { object: 'list', data, usage: { prompt_tokens: 5, total_tokens: 5 } });
    }
    const text = `filled ${body.prompt}|${body.suffix}`;
    json(response, 200, {
      id: '1',
      choices: [{ index: 0, text, message: { role: 'assistant', content: text }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
    });
  });
  return upstream;
}
