export { judgeErrors } from './errors.ts';
export type { JudgeDefinition, Judgement } from './judge-conversation.ts';
export { judgeRoutes } from './routes.ts';
export { CreateJudgeRequest, type Judge, type JudgeConversationRequest, JudgeOutput } from './schema.ts';
export { createJudgeService, type JudgeService } from './service.ts';
