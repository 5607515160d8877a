/**
 * What an error of one request means to a program that works on many pages and files: `absent`, nothing is there;
 * `stale`, it has changed or exists already, so read it again; `item`, this one is the problem, go on with the others;
 * `stop`, the others would fail as well.
 */
export type ErrorEffect = 'absent' | 'stale' | 'item' | 'stop'

/** The description of an error code for every interface. */
export interface ErrorDefinition {
  readonly status: number
  /** If it is not that of its status. */
  readonly effect?: ErrorEffect
  /** For people; may change. */
  readonly title: string
  /** What happened and what to do, for `/problems/<code>`. */
  readonly explanation: string
  /** What an MCP client should do, with names of tools. */
  readonly agentAdvice?: string
  /** What a user of the command line should do, with names of commands. */
  readonly commandAdvice?: string
  /** What a person should do, on the error page. */
  readonly screenAdvice?: string
  /** The heading of the error page where the title and the detail mean nothing to a person. */
  readonly screenTitle?: string
}
