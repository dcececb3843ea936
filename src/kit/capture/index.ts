export { type Capture, prepareCapture } from './prepare-capture.ts';
