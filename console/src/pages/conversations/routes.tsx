import { createLazyRoute } from '@tanstack/react-router';
import { ConversationPage } from './conversation-page.tsx';
import { ConversationsPage } from './conversations-page.tsx';
import { NewConversationPage } from './new-conversation-page.tsx';

export const list = createLazyRoute('/shell/conversations')({ component: ConversationsPage });
export const start = createLazyRoute('/shell/conversations/new')({ component: NewConversationPage });
export const conversation = createLazyRoute('/shell/conversations/$conversationId')({ component: ConversationPage });
