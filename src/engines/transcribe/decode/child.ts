import { constants, setPriority } from 'node:os';
import { oneAtATime, serveParent } from '../../process/serve-parent.ts';
import { decodeFile } from './decode-file.ts';
import type { DecodePart, DecodeRequest } from './protocol.ts';

// The process that decodes what strangers send: whatever a file does to it, only its own request fails.
serveParent<object, DecodeRequest, DecodePart>(async () => {
  setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
  return oneAtATime((request, give, signal) => decodeFile(request, (samples) => give({ samples }), signal));
});
