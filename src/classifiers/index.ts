export { classifierErrors } from './errors.ts';
export { classifierRoutes } from './routes/index.ts';
export { type ClassifierService, createClassifierService } from './service/classifications.ts';
export { TRAINING_QUEUE } from './service/run-trainings.ts';
export { createTrainingService, type TrainingService } from './service/trainings.ts';
export { chooseEmbeddingModel } from './train/choose-embedding-model.ts';
export { type Example, ExamplesInvalid, readExamples } from './train/read-examples.ts';
export { type Training, type TrainingFigures, trainClassifier } from './train/train-classifier.ts';
