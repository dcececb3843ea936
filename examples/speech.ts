// Speech, written to a file while it is spoken: node examples/speech.ts "Good morning." morning.mp3
import { createWriteStream } from 'node:fs';
import { finished } from 'node:stream/promises';
import { connect } from './connect.ts';

const client = await connect();
const [input = 'Good morning. The wind comes from the north today.', path = 'speech.wav'] = process.argv.slice(2);
const responseFormat = path.endsWith('.mp3') ? 'mp3' : 'wav';
const stream = await client.audio.speech.complete({ input, responseFormat, stream: true });

const file = createWriteStream(path);
for await (const { data } of stream)
  if (data.type === 'speech.audio.delta') file.write(Buffer.from(data.audioData, 'base64'));
await finished(file.end());
console.log(`${path}: ${file.bytesWritten} bytes`);
