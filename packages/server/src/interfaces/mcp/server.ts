import {
  type CallToolResult,
  type ListToolsResult,
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  Server,
} from '@modelcontextprotocol/server'
import { AppError } from '@recto/contract/errors.ts'
import { isJsonObject } from '@recto/lib/json/json.ts'
import { showLine } from '@recto/lib/text/single-line.ts'
import type { PagesCtx } from '../../content/pages/ctx.ts'
import { SIGN_IN_QUERY } from '../../identity/oauth/scopes.ts'
import { credentialNeeded } from '../../identity/principals/authentication.ts'
import { needsAccount } from '../../identity/principals/visitors.ts'
import { findMovedAddress } from '../../platform/http/redirects.ts'
import { complete } from './completion.ts'
import { type ErrorContext, errorText, problemFor, type ToolSubject } from './error-message.ts'
import { getPrompt, listPrompts } from './prompts.ts'
import { listResources, listResourceTemplates, readResource } from './resources.ts'
import { subscribe, unsubscribe } from './sessions.ts'
import type { Tool, ToolDeps } from './tool.ts'
import { allows, findTool, listTools } from './tools.ts'

const INSTRUCTIONS = `Recto stores Markdown pages in spaces; the space \`personal\` is your own. \
Pages have metadata, links and revisions.
Find pages with context_search, context_query_metadata or context_list_pages. \
Read with context_get_page: for a long page, get the outline first, then one section.
To change a page, send the version that you read. \
The error precondition_failed means that the page has changed since: \
read it again, apply your change to the new text, and send the new version. \
Prefer context_edit_page to context_write_page for existing pages.
\`changeRequest\` (a number, or \`new\` with \`changeRequestTitle\`) makes a write a proposal, \
which changes nothing before its merge, and a read show the page with it. \
For a page that it changes, send the \`draft\` that you read in place of \`version\`.
Errors begin with a stable code. Long results are paginated: the result says how to get the next part. \
\`dryRun\` only reports what would be done. \`format\` "detailed" adds structured content with times, authors and URLs.`

/** For callers without an account. */
const VISITOR_INSTRUCTIONS = `Recto stores Markdown pages in spaces. You read public spaces, without an account: \
find pages with context_search, context_find or context_list_pages, \
and read them with context_get_page or context_get_pages.
All else, such as changes, needs an account: \
the person adds the URL of this server with ${SIGN_IN_QUERY}, and signs in.`

const CAPABILITIES = { tools: {}, resources: {}, prompts: {}, completions: {} }
/** Before the revision 2026-07-28 clients cannot choose to hear of lists, which change with every page. */
const WITH_SESSIONS = { ...CAPABILITIES, resources: { subscribe: true } }
const WITH_SUBSCRIPTIONS = {
  ...CAPABILITIES,
  resources: { subscribe: true, listChanged: true },
  prompts: { listChanged: true },
}
/** The problem document of a failed call, in its metadata: for programs. */
const PROBLEM = 'recto/problem'

/** One request: its caller, and the dependencies of its handlers. */
export interface McpContext {
  readonly ctx: PagesCtx
  readonly errors: ErrorContext
  readonly deps: ToolDeps
  readonly version: string
  /** The value of `Mcp-Session-Id`. */
  readonly session: string | undefined
  /** Whether a message of a caller without an account needs one: that is the response to the whole request. */
  readonly signIn: { needed: boolean }
}

/** A stateless server for one request: any node may serve the next. */
export function createMcpServer(context: McpContext, era: 'legacy' | 'modern'): Server {
  const { ctx, deps, version, session } = context
  const subscribing = era === 'modern' ? WITH_SUBSCRIPTIONS : WITH_SESSIONS
  const isVisitor = ctx?.actor.visitor !== undefined // no `ctx` in the first message, which only loads the module
  const server = new Server(
    { name: 'recto', title: 'Recto', version },
    isVisitor
      ? { capabilities: CAPABILITIES, instructions: VISITOR_INSTRUCTIONS }
      : { capabilities: subscribing, instructions: INSTRUCTIONS },
  )
  // The schemas are objects, as the type of the protocol requires.
  server.setRequestHandler('tools/list', () => ({ tools: listTools(ctx.actor) as ListToolsResult['tools'] }))
  server.setRequestHandler('tools/call', ({ params }) => callTool(context, params.name, params.arguments))
  server.setRequestHandler('resources/list', ({ params }) =>
    orProtocolError(context, () => listResources(ctx, params?.cursor)),
  )
  server.setRequestHandler('resources/templates/list', () => listResourceTemplates(ctx))
  server.setRequestHandler('resources/read', ({ params: { uri } }) =>
    orProtocolError(context, () => readResource(ctx, uri, deps), uri),
  )
  if (era === 'legacy') {
    server.setRequestHandler('resources/subscribe', ({ params: { uri } }) =>
      orProtocolError(context, () => subscribe(ctx, session, uri), uri),
    )
    server.setRequestHandler('resources/unsubscribe', ({ params: { uri } }) =>
      orProtocolError(context, () => unsubscribe(ctx, session, uri), uri),
    )
  }
  server.setRequestHandler('prompts/list', ({ params }) =>
    orProtocolError(context, () => listPrompts(ctx, params?.cursor)),
  )
  server.setRequestHandler('prompts/get', ({ params }) =>
    orProtocolError(context, () => getPrompt(ctx, params.name, params.arguments ?? {}, deps)),
  )
  server.setRequestHandler('completion/complete', ({ params }) => orProtocolError(context, () => complete(ctx, params)))
  return server
}

/**
 * Calls a tool. Its errors are results with `isError` (MCP specification, Tools, Error Handling), so that the agent can
 * correct itself.
 */
async function callTool(context: McpContext, name: string, args: unknown): Promise<CallToolResult> {
  const { ctx, errors, deps } = context
  const tool = findTool(name)
  if (!tool) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Tool ${name} does not exist.`)
  try {
    if (!allows(ctx.actor, tool, args ?? {})) throw scopeNeeded(tool, ctx)
    const { data, text, image } = await callFollowing(tool, ctx, args, deps)
    return {
      content: [
        ...text.map((block) => ({ type: 'text' as const, text: block })),
        ...(image ? [{ type: 'image' as const, ...image }] : []),
      ],
      ...(data && { structuredContent: { ...data } }),
    }
  } catch (thrownError) {
    noteSignIn(context, thrownError)
    const problem = problemFor(thrownError, errors)
    const content = [{ type: 'text' as const, text: errorText(problem, toSubject(tool)) }]
    return { isError: true, content, _meta: { [PROBLEM]: problem } }
  }
}

function toSubject({ name }: Tool): ToolSubject {
  return /_files?$/.test(name) ? 'file' : 'page'
}

/**
 * Calls a tool again, once, if it changed nothing because of the address: a read-only tool if its page or file has
 * moved, which the result says, and any tool whose `path` repeats `space`, as the addresses in results do.
 */
async function callFollowing(tool: Tool, ctx: PagesCtx, args: unknown, deps: ToolDeps) {
  try {
    return await tool.call(ctx, args, deps)
  } catch (error) {
    if (!isJsonObject(args) || args.path === undefined) throw error
    // A change request is of one space.
    const to = args.changeRequest === undefined ? findMovedAddress(error) : undefined
    const path = isAbsent(error) ? pathWithoutSpace(args) : undefined
    if (!to && path === undefined) throw error
    const result = await tool.call(ctx, { ...args, ...(to ?? { path }) }, deps).catch((second: unknown) => {
      throw isAbsent(second) ? error : second
    })
    return to ? { ...result, text: [showLine(`It has moved to ${to.space}/${to.path}.`), ...result.text] } : result
  }
}

/** Whether nothing is at the address of a call. */
function isAbsent(error: unknown): boolean {
  if (!(error instanceof AppError)) return false
  const { current } = error.extras.members ?? {}
  return error.code === 'not_found' || (error.code === 'precondition_failed' && !isJsonObject(current))
}

function pathWithoutSpace({ space, path }: Readonly<Record<string, unknown>>): string | undefined {
  const repeatedPrefix = `${space}/`
  return typeof space === 'string' && typeof path === 'string' && path.startsWith(repeatedPrefix)
    ? path.slice(repeatedPrefix.length)
    : undefined
}

function noteSignIn({ ctx, signIn }: McpContext, error: unknown): void {
  if (needsAccount(ctx, error)) signIn.needed = true
}

function scopeNeeded(tool: Tool, { actor }: PagesCtx): AppError {
  if (actor.visitor !== undefined) return credentialNeeded()
  if (allows(actor, tool)) {
    return new AppError(
      'forbidden',
      'Your key only proposes: send `changeRequest`, a number, or `new` with `changeRequestTitle`.',
    )
  }
  return new AppError('forbidden', `This tool requires a key with the scope \`${tool.scope}\`.`)
}

/** Turns errors of resources and prompts into JSON-RPC errors with the problem document as `data`. */
async function orProtocolError<T>(context: McpContext, work: () => Promise<T>, uri?: string): Promise<T> {
  try {
    return await work()
  } catch (thrownError) {
    noteSignIn(context, thrownError)
    const problem = problemFor(thrownError, context.errors)
    if (uri !== undefined && ['not_found', 'page_deleted'].includes(problem.code)) {
      throw new ResourceNotFoundError(uri, showLine(problem.detail))
    }
    const fault = problem.status >= 500
    const code = fault ? ProtocolErrorCode.InternalError : ProtocolErrorCode.InvalidParams
    throw new ProtocolError(code, showLine(problem.detail), problem)
  }
}
