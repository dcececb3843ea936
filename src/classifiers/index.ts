export { classifierErrors } from './errors.ts';
export { classifierRoutes } from './routes.ts';
export { type ClassifierService, createClassifierService } from './service.ts';
export { type Example, ExamplesInvalid, readExamples } from './train/read-examples.ts';
export { type Training, type TrainingFigures, trainClassifier } from './train/train-classifier.ts';
