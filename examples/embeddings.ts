// Search by meaning: texts and a question as vectors, ranked by their cosine.
import { connect } from './connect.ts';

const texts = [
  'The library opens at nine and closes at six.',
  'Bicycles may be taken on the train for free.',
  'Parking costs two euros an hour on weekdays.',
  'The swimming pool is heated from May to September.',
];

const client = await connect();
const question = process.argv[2] ?? 'How much does parking cost?';
const { data } = await client.embeddings.create({ model: 'mistral-embed', inputs: [question, ...texts] });
const [asked = [], ...vectors] = data.map(({ embedding }) => embedding ?? []);

const ranked = vectors.map((vector, index) => ({ text: texts[index], score: cosine(asked, vector) }));
for (const { text, score } of ranked.sort((a, b) => b.score - a.score)) console.log(`${score.toFixed(3)}  ${text}`);

function cosine(a: number[], b: number[]): number {
  const dot = (x: number[], y: number[]) => x.reduce((sum, value, i) => sum + value * (y[i] ?? 0), 0);
  return dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b));
}
