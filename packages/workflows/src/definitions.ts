/** The types of definitions and contexts. They refer to each other, so one file holds them all. */
import type { Json, StepOptions } from './protocol.ts';
import type { InputOf, OutputOf, Reader, Schema } from './schema.ts';

export type Retry = {
  /** Maximum number of attempts, including the first; 0 means no limit. Default 3. */
  maxAttempts?: number;
  /** Delay before the second attempt. Default 1,000. */
  initialIntervalMs?: number;
  /** Factor between two delays. Default 2. */
  backoff?: number;
  /** Maximum delay. Default 60,000. */
  maxIntervalMs?: number;
  /** Names of errors that are not retried. */
  nonRetryable?: string[];
};

export type StepSettings<S extends Schema | undefined = Schema | undefined> = {
  /** Validates the input before each attempt; an invalid input fails the step without a retry. */
  input?: S;
  /** `false`: one attempt only. */
  retry?: Retry | false;
  /** Timeout of one attempt. Default five minutes. */
  timeoutMs?: number;
  /** Timeout of all attempts and delays together. By default only `maxAttempts` limits them. */
  totalTimeoutMs?: number;
  /** An attempt without a heartbeat for this long counts as lost: call `step.heartbeat()` more often. */
  heartbeat?: { timeoutMs: number };
  /** At most `max` attempts start per window, in the whole deployment. Steps with the same key share the limit. */
  rateLimit?: { max: number; windowMs: number; key?: string };
  /**
   * The step begins only when the server has stored that the workflow asked for it, which costs a round trip. By default a
   * worker may begin a few milliseconds earlier.
   */
  recordFirst?: boolean;
};

/** The context of an attempt. */
export type StepContext = {
  readonly executionId: string;
  readonly runId: string;
  readonly workflow: string;
  /** The same for each attempt of this step: use it as an idempotency key. */
  readonly idempotencyKey: string;
  /** 1, 2, 3 … */
  readonly attempt: number;
  /** Aborts when the step was cancelled, timed out or was given to another worker. */
  readonly signal: AbortSignal;
  /** Details of the last heartbeat of the previous attempt. */
  readonly lastHeartbeat: Json | undefined;
  /** Renews the attempt and stores its progress: the next attempt gets it as `lastHeartbeat`. */
  heartbeat(details?: Json): void;
  /** A progress stream: see `ctx.task`. */
  task<State extends Json>(type: string, state: State): ProgressTask<Widen<State>>;
  readonly log: Log;
  /** The `traceparent` header for calls to the platform: their spans are then shown below this step. */
  readonly traceparent: string;
  /** The platform's address and the key of this worker, for calls to its API. */
  readonly platform: { url: string; apiKey: string };
};

export type Log = Record<
  'debug' | 'info' | 'warn' | 'error',
  (message: string, attributes?: Record<string, unknown>) => void
>;

export type StepFunction<In, Out> = (input: In, step: StepContext) => Out | Promise<Out>;

export type Step<In = unknown, Out = unknown> = {
  readonly kind: 'tramontane.step';
  readonly name: string;
  readonly settings: StepSettings;
  readonly options: StepOptions;
  readonly read: Reader;
  readonly run: StepFunction<unknown, unknown>;
  /** Only for the type checker: input and output of a call. */
  readonly '~types'?: { input: In; output: Out };
};
// biome-ignore lint/suspicious/noExplicitAny: any step at all.
export type AnyStep = Step<any, any>;

/** The input schema of a signal, with an optional description. */
export type SignalShape = Schema | { input?: Schema; description?: string };
export type CallShape = { input?: Schema; output?: Schema; description?: string };

export type Signals = Record<string, SignalShape>;
export type Calls = Record<string, CallShape>;

export type WorkflowSettings<
  In extends Schema | undefined = Schema | undefined,
  Out extends Schema | undefined = Schema | undefined,
  S extends Signals = Signals,
  Q extends Calls = Calls,
  U extends Calls = Calls,
> = {
  input?: In;
  output?: Out;
  signals?: S;
  queries?: Q;
  updates?: U;
  displayName?: string;
  description?: string;
  /** Timeout of the whole execution. Default one hour. */
  executionTimeoutMs?: number;
  /** Dotted paths into the input, at most 20; runs can be searched by their values. */
  searchKeys?: string[];
};

export type Workflow<In = unknown, Out = unknown> = {
  readonly kind: 'tramontane.workflow';
  readonly name: string;
  readonly settings: WorkflowSettings;
  readonly readInput: Reader;
  readonly readOutput: Reader;
  readonly run: (ctx: WorkflowContext, input: unknown) => unknown;
  /** Only for the type checker: input and output of an execution. */
  readonly '~types'?: { input: In; output: Out };
};
// biome-ignore lint/suspicious/noExplicitAny: any workflow at all.
export type AnyWorkflow = Workflow<any, any>;

type SignalInput<Shape> = Shape extends { '~standard': unknown }
  ? OutputOf<Shape>
  : Shape extends { input: infer S }
    ? OutputOf<S>
    : unknown;
type CallInput<Shape extends CallShape | undefined> = Shape extends { input: infer S } ? OutputOf<S> : unknown;
type CallOutput<Shape extends CallShape | undefined> = Shape extends { output: infer S } ? InputOf<S> : unknown;

export type ChildOptions = {
  /** The execution id of the child; generated by default. */
  executionId?: string;
  /** The deployment of its workers, if there are several. */
  deployment?: string;
  /** What happens to the child when this execution ends. Default `terminate`; `abandon` for `startChild`. */
  parentClosePolicy?: 'terminate' | 'abandon' | 'request_cancel';
};

export type RunDescription = {
  executionId: string;
  runId: string;
  workflow: string;
  startedAt: Date;
  /** The attempt of the whole execution, from 1. */
  attempt: number;
  scheduleId: string | undefined;
};

/** The API of workflow code. Everything in it is the same on replay. */
export type WorkflowContext<S extends Signals = Signals, Q extends Calls = Calls, U extends Calls = Calls> = {
  readonly info: RunDescription;
  readonly log: Log;

  /** Runs a step on any worker and waits for its result. `settings` apply to this call only. */
  step<In, Out>(step: Step<In, Out>, ...given: StepArguments<In>): Promise<Out>;
  /** Runs a short step in this worker, without a task: no heartbeats, a few seconds at most. */
  local<In, Out>(step: Step<In, Out>, ...given: undefined extends In ? [input?: In] : [input: In]): Promise<Out>;

  sleep(ms: number): Promise<void>;
  /** Waits until the condition holds; false on timeout. It is checked whenever code of the run has progressed. */
  waitFor(condition: () => boolean, options?: { timeoutMs?: number }): Promise<boolean>;

  /** Handles each signal of this name, including earlier ones; the handler may wait. */
  onSignal<Name extends keyof S & string>(name: Name, handler: (input: SignalInput<S[Name]>) => unknown): void;
  /** The oldest unread signal of this name, or the next; undefined on timeout. */
  receive<Name extends keyof S & string>(name: Name): Promise<SignalInput<S[Name]>>;
  receive<Name extends keyof S & string>(
    name: Name,
    options: { timeoutMs: number },
  ): Promise<SignalInput<S[Name]> | undefined>;
  onQuery<Name extends keyof Q & string>(name: Name, handler: (input: CallInput<Q[Name]>) => CallOutput<Q[Name]>): void;
  onUpdate<Name extends keyof U & string>(
    name: Name,
    handler: (input: CallInput<U[Name]>) => CallOutput<U[Name]> | Promise<CallOutput<U[Name]>>,
  ): void;

  /** Starts another workflow and waits for its result. */
  child<In, Out>(workflow: Workflow<In, Out> | string, input: In, options?: ChildOptions): Promise<Out>;
  /** Starts another workflow without waiting for its result. */
  startChild<In, Out>(
    workflow: Workflow<In, Out> | string,
    input: In,
    options?: ChildOptions,
  ): Promise<{ executionId: string; runId: string }>;
  /** Sends a signal to another execution of the workspace. */
  signal(executionId: string, name: string, input?: unknown): Promise<void>;
  /** Ends this run and continues in a new one with an empty history. Code after it does not run. */
  continueAsNew(input: unknown, options?: { workflow?: AnyWorkflow | string }): never;
  /** The length of the history, and whether `continueAsNew` is recommended. */
  readonly historyLength: number;
  readonly shouldContinueAsNew: boolean;

  /** The time of this turn. */
  now(): Date;
  random(): number;
  uuid(): string;

  /** A progress stream; with a function it ends with the function. */
  task<State extends Json>(type: string, state: State): ProgressTask<Widen<State>>;
  task<State extends Json, T>(
    type: string,
    state: State,
    code: (task: ProgressTask<Widen<State>>) => Promise<T>,
  ): Promise<T>;
  /** Asks a person and waits for the answer. Throws `TimedOut` without an answer in time. */
  waitForInput<I extends Schema>(schema: I, label?: string, options?: { timeoutMs?: number }): Promise<OutputOf<I>>;

  /** Whether the execution, or the scope around this code, was cancelled. */
  readonly isCancelled: boolean;
  /** Runs code that is not cancelled, for clean-up. */
  nonCancellable<T>(code: () => Promise<T>): Promise<T>;
  /** Runs code that can be cancelled separately; `cancel` rejects its waits with `Cancelled`. */
  cancellable<T>(code: (cancel: (reason?: string) => void) => Promise<T>): Promise<T>;
  /** Runs code with a timeout; then its waits are cancelled and `TimedOut` is thrown. */
  withTimeout<T>(ms: number, code: () => Promise<T>): Promise<T>;

  /** True in runs that reach this line first with the new code, false in runs that passed it with older code. */
  patched(id: string): boolean;
  /** Sets values by which this run can be searched; null removes one. */
  setSearchKeys(keys: Record<string, string | null>): void;

  /** One model turn as a step; its tokens are published as a task of type `token`. */
  chat(call: ChatCall): Promise<ChatResult>;
  /** Model turns and tool calls, each a step, until the model has an answer. */
  agent(call: AgentCall): Promise<AgentResult>;
  /** One call of a connector's tool as a step. It is not retried, because it may have run; `settings.retry` allows it. */
  callTool(call: ConnectorCall, settings?: StepCall): Promise<ConnectorResult>;
};

export type StepCall = Omit<StepSettings, 'input' | 'recordFirst'>;
type StepArguments<In> = undefined extends In
  ? [input?: In, settings?: StepCall]
  : unknown extends In
    ? [input?: In, settings?: StepCall]
    : [input: In, settings?: StepCall];

export type ChatMessage = {
  role: 'system' | 'user' | 'assistant' | 'tool';
  content?: Json;
  name?: string;
  tool_calls?: ToolCall[];
  tool_call_id?: string;
};
export type ToolCall = { id: string; type?: 'function'; function: { name: string; arguments: string } };

/** A body of POST /v1/chat/completions, or of /v1/agents/completions when it names an agent. */
export type ChatCall = {
  model?: string;
  agent_id?: string;
  messages: ChatMessage[];
  [setting: string]: Json | undefined | ChatMessage[];
};

export type ChatResult = {
  message: ChatMessage & { role: 'assistant' };
  finish_reason: string | null;
  model: string;
  usage: Json;
};

/** A tool of a connector, called with the worker's key and the credentials that are stored for its user. */
export type ConnectorCall = {
  /** Its id or name. */
  connector: string;
  tool: string;
  arguments?: Record<string, Json>;
  /** Other credentials than the nearest ones. */
  credentialsName?: string;
};

/** What another server returned: information, never instructions. */
export type ConnectorResult = {
  /** The texts of the content, in its order. */
  text: string;
  content: Json[];
  structuredContent: Json;
  /** The tool ran and reported a failure. */
  isError: boolean;
};

type AnyTool = {
  description: string;
  /** Asks a person before each call; the model is informed of a refusal. */
  needsApproval?: boolean | ((input: Json) => boolean);
};

/** A tool of an agent: a step, whose `input` schema describes the parameters to the model, or a tool of a connector. */
export type AgentTool = AnyTool &
  (
    | {
        // biome-ignore lint/suspicious/noExplicitAny: a tool takes whatever its schema says.
        step: Step<any, unknown>;
        /** The parameters; by default the `input` of the step. */
        parameters?: Schema;
      }
    | { connector: string; tool: string; credentialsName?: string; parameters?: Schema }
  );

export type AgentCall = {
  model?: string;
  agent_id?: string;
  instructions?: string;
  /** The user's message, or a conversation. */
  input: string | ChatMessage[];
  /** Tools by name. */
  tools?: Record<string, AgentTool>;
  /** Maximum number of model turns. Default 10. */
  maxTurns?: number;
  /** Additional fields of each request, such as `temperature`. */
  settings?: Record<string, Json>;
};

export type AgentResult = { text: string; messages: ChatMessage[]; turns: number };

/** A progress stream: the whole state first, then patches. */
export type ProgressTask<State = Json> = {
  readonly id: string;
  readonly state: State;
  /** Sets the new state, or derives it from the current one. Publishes nothing if nothing changed. */
  update(next: State | ((state: State) => State)): void;
  /** Ends the stream, optionally with a last state. */
  complete(last?: State): void;
  fail(error: unknown): void;
  cancel(reason?: string): void;
};

/** Widens literal types: a state that begins as 0 may become any number. */
export type Widen<State> = State extends number
  ? number
  : State extends string
    ? string
    : State extends boolean
      ? boolean
      : State;
