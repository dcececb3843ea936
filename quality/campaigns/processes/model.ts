import { answer } from '../../bench/processes/answer.ts';
import { serveModel } from '../platform/serve-model.ts';

// A model server in a process of its own: what a server under attack sends it delays nobody who measures.
const { url } = await serveModel();
answer({ address: () => url });
