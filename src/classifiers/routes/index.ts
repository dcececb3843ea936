import type { AnyRoute } from '../../kit/http/index.ts';
import type { ClassifierService } from '../service/classifications.ts';
import type { TrainingService } from '../service/trainings.ts';
import { classificationRoutes } from './classifications.ts';
import { trainingRoutes } from './trainings.ts';

export function classifierRoutes(classifiers: ClassifierService, trainings: TrainingService): AnyRoute[] {
  return [...classificationRoutes(classifiers), ...trainingRoutes(trainings)];
}
