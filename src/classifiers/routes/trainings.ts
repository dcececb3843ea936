import { type AnyRoute, route } from '../../kit/http/index.ts';
import {
  ClassifierTraining,
  ClassifierTrainings,
  CreateClassifierTraining,
  TrainingParams,
  TrainingsQuery,
} from '../schema/trainings.ts';
import type { TrainingService } from '../service/trainings.ts';

const PATH = '/v1/classifiers/trainings';

export function trainingRoutes(trainings: TrainingService): AnyRoute[] {
  const write = { tags: ['classifiers (of this server)'], permission: 'models:write' };
  const read = { tags: ['classifiers (of this server)'], permission: 'models:read' };
  return [
    route({
      ...write,
      method: 'POST',
      path: PATH,
      operationId: 'classifier_trainings_create',
      summary: 'Train a classifier of the workspace on the labelled examples of a file',
      creates: true,
      status: 201,
      body: CreateClassifierTraining,
      response: ClassifierTraining,
      handler: ({ scope, body }) => trainings.create(scope, body),
    }),
    route({
      ...read,
      method: 'GET',
      path: PATH,
      operationId: 'classifier_trainings_list',
      summary: 'List the trainings of the workspace, newest first',
      query: TrainingsQuery,
      response: ClassifierTrainings,
      handler: ({ scope, query }) => trainings.list(scope, query.limit),
    }),
    route({
      ...read,
      method: 'GET',
      path: `${PATH}/:training_id`,
      operationId: 'classifier_trainings_get',
      summary: 'Read a training: how far it is, or how well the classifier does',
      params: TrainingParams,
      response: ClassifierTraining,
      handler: ({ scope, params }) => trainings.get(scope, params.training_id),
    }),
    route({
      ...write,
      method: 'DELETE',
      path: `${PATH}/:training_id`,
      operationId: 'classifier_trainings_delete',
      summary: 'Stop a training if it runs, and delete its record; its classifier stays',
      status: 204,
      params: TrainingParams,
      handler: ({ scope, params }) => trainings.remove(scope, params.training_id),
    }),
  ];
}
