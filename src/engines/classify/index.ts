export {
  type ClassifierDefinition,
  type ClassifierTarget,
  type LossFunction,
  packWeights,
} from './definition.ts';
export { findClassifierFiles } from './find-files.ts';
export { createOnnxClassifier } from './onnx-classifier.ts';
export { createTrainedClassifier } from './trained-classifier.ts';
