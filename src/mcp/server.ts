import {
  type CallToolResult,
  type ListToolsResult,
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  Server,
} from '@modelcontextprotocol/server'
import type { Ctx } from '../access/ctx.ts'
import { AppError } from '../errors.ts'
import { type ErrorContext, errorFor } from './error-message.ts'
import { getPrompt, listPrompts } from './prompts.ts'
import { listResources, listResourceTemplates, readResource } from './resources.ts'
import type { ToolDeps } from './tool.ts'
import { allows, findTool, toolsFor } from './tools.ts'

const INSTRUCTIONS = `Recto holds Markdown pages in spaces; pages have metadata, links and revisions.
Find pages with context_search, context_query_metadata or context_list_pages. Read with context_get_page: for a long page take the outline first, then one section.
To change a page, send the version that you read. If it is refused with precondition_failed, someone else wrote the page: read it again, apply your change to the new text, and send its version. Prefer context_edit_page to context_write_page for pages that exist.
Refusals have a stable \`code\` and say what to do. Long results are cut, and say how to go on.`

/** Who asks, and what the answer needs. */
export interface Serving {
  readonly ctx: Ctx
  readonly asked: ErrorContext
  readonly means: ToolDeps
  readonly version: string
}

/** A server for one request of one caller. It keeps nothing, so that any node may answer the next. */
export function createMcpServer({ ctx, asked, means, version }: Serving): Server {
  const server = new Server(
    { name: 'recto', title: 'Recto', version },
    { capabilities: { tools: {}, resources: {}, prompts: {} }, instructions: INSTRUCTIONS },
  )
  server.setRequestHandler('tools/list', () => listTools(ctx))
  server.setRequestHandler('tools/call', ({ params }) =>
    callTool({ ctx, asked, means, version }, params.name, params.arguments),
  )
  server.setRequestHandler('resources/list', ({ params }) =>
    orError(asked, () => listResources(ctx, params?.cursor)),
  )
  server.setRequestHandler('resources/templates/list', () => listResourceTemplates())
  server.setRequestHandler('resources/read', ({ params: { uri } }) =>
    orError(asked, () => readResource(ctx, uri), uri),
  )
  server.setRequestHandler('prompts/list', ({ params }) =>
    orError(asked, () => listPrompts(ctx, params?.cursor)),
  )
  server.setRequestHandler('prompts/get', ({ params }) =>
    orError(asked, () => getPrompt(ctx, params.name, params.arguments ?? {})),
  )
  return server
}

function listTools({ actor }: Ctx): ListToolsResult {
  // The descriptions are tools as the protocol has them: their schemas are objects.
  return { tools: toolsFor(actor).map((tool) => tool.description) as ListToolsResult['tools'] }
}

/** A refusal is a result like any other, so that the agent reads it and can do better. */
async function callTool(
  { ctx, asked, means }: Serving,
  name: string,
  args: unknown,
): Promise<CallToolResult> {
  const tool = findTool(name)
  if (!tool) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no tool ${name}.`)
  try {
    if (!allows(ctx.actor, tool)) throw scopeNeeded(tool.scope)
    const { data, text } = await tool.call(ctx, args, means)
    return {
      content: text.map((piece) => ({ type: 'text', text: piece })),
      structuredContent: data as Record<string, unknown>, // every output schema is an object
    }
  } catch (thrown) {
    return { isError: true, content: [{ type: 'text', text: JSON.stringify(errorFor(thrown, asked)) }] }
  }
}

function scopeNeeded(scope: string): AppError {
  return new AppError('forbidden', `This needs a key with the scope ${scope}.`)
}

/** What is no tool has no result for refusals: they are errors of the protocol, with the problem as their data. */
async function orError<T>(asked: ErrorContext, answer: () => Promise<T>, uri?: string): Promise<T> {
  try {
    return await answer()
  } catch (thrown) {
    const problem = errorFor(thrown, asked)
    if (uri !== undefined && ['not_found', 'page_deleted'].includes(problem.code)) {
      throw new ResourceNotFoundError(uri, problem.detail)
    }
    const fault = problem.status >= 500
    const code = fault ? ProtocolErrorCode.InternalError : ProtocolErrorCode.InvalidParams
    throw new ProtocolError(code, problem.detail, problem)
  }
}
