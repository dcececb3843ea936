export { dialectErrors } from './errors.ts';
export { responseRoutes } from './routes/responses.ts';
export { createResponseService, type ResponseService } from './service/responses.ts';
