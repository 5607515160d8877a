import { Readable } from 'node:stream'
import type { ReadableStream as NodeReadableStream } from 'node:stream/web'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { AppError, type ErrorCode } from '../errors.ts'
import { parseJsonBody } from '../http/body.ts'
import type { Server } from '../http/server.ts'
import { JsonError } from '../lib/json.ts'
import { rejectForeignOrigin } from './guard.ts'
import type { createHandler } from './handler.ts'
import type { Serving } from './server.ts'
import type { ToolDeps } from './tool.ts'

export interface McpOptions extends ToolDeps {
  readonly version: string
  readonly maxRequestBytes: number
}

/** The fields that the protocol reads; credentials stay here. */
const PASSED = ['accept', 'content-type', 'mcp-protocol-version', 'mcp-method', 'mcp-name', 'mcp-session-id']
const PARSE_ERROR = -32_700
const INVALID_REQUEST = -32_600
/** Messages of a batch (revision 2025-03-26); each counts for the rate limit. */
const MAX_BATCH = 20

/** MCP over Streamable HTTP: every POST stands for itself, so GET and DELETE, which are for sessions, are 405. */
export async function mcpRoutes(app: Server, options: McpOptions): Promise<void> {
  // The protocol's kit is large: a service that no agent speaks to does without it.
  let loading: Promise<ReturnType<typeof createHandler>> | undefined
  const handler = () => {
    loading ??= import('./handler.ts').then(({ createHandler }) =>
      createHandler((error) => app.log.debug({ err: error }, 'an MCP request failed')),
    )
    return loading
  }
  // Before the server waits for open requests: a subscription is one that never ends by itself.
  app.addHook('preClose', async () => (await loading)?.close())
  app.removeContentTypeParser('application/json')
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    async (_: FastifyRequest, body: Buffer) => parsed(body),
  )

  app.post(
    '/mcp',
    {
      bodyLimit: options.maxRequestBytes,
      schema: {
        tags: ['Agents'],
        summary: 'The Model Context Protocol',
        description:
          'Streamable HTTP without sessions, for MCP clients: JSON-RPC messages. Tools, resources and prompts are the pages that the key can see.',
        consumes: ['application/json'],
        produces: ['application/json', 'text/event-stream'],
      },
      preParsing: async (request) => rejectForeignOrigin(request, request.ctx.publicUrl),
    },
    async (request, reply) => {
      const { body } = request
      if (body instanceof Unparsable) {
        return reply.code(400).send(errorBody(PARSE_ERROR, `Parse error: ${body.reason}`, 'invalid_json'))
      }
      if (Array.isArray(body) && body.length > MAX_BATCH) {
        const detail = `A batch has at most ${MAX_BATCH} messages.`
        return reply.code(400).send(errorBody(INVALID_REQUEST, detail, 'invalid_request'))
      }
      if (Array.isArray(body) && body.length > 1) await request.countFurther?.(body.length - 1)
      const gone = new AbortController()
      reply.raw.on('close', () => gone.abort())
      const asked = new Request(`${request.ctx.publicUrl}/mcp`, {
        method: 'POST',
        headers: passedHeaders(request),
        signal: gone.signal,
      })
      const extra = { serving: servingOf(request, options) }
      const { actor } = request.ctx
      const authInfo = { token: '', clientId: actor.id, scopes: [actor.scope], extra }
      return sendResponse(reply, await (await handler()).fetch(asked, { parsedBody: body, authInfo }))
    },
  )
}

function servingOf(request: FastifyRequest, { search, version }: McpOptions): Serving {
  const { ctx, id, log } = request
  const logFault = (cause: unknown) => log.error({ err: cause, url: '/mcp' }, 'a fault in an MCP request')
  return {
    ctx,
    asked: { requestId: id, origin: ctx.publicUrl, logFault },
    means: { search },
    version,
  }
}

function passedHeaders({ headers }: FastifyRequest): Headers {
  const passed = new Headers()
  for (const name of PASSED) {
    const value = headers[name]
    if (typeof value === 'string') passed.set(name, value)
  }
  return passed
}

function sendResponse(reply: FastifyReply, response: Response): FastifyReply {
  reply.code(response.status).header('Cache-Control', 'no-store')
  for (const [name, value] of response.headers) if (name !== 'cache-control') reply.header(name, value)
  if (!response.body) return reply.send()
  return reply.send(Readable.fromWeb(response.body as NodeReadableStream)) // two declarations of one type
}

/** JSON that is none is told in the words of JSON-RPC, not as a problem document. */
class Unparsable {
  readonly reason: string
  constructor(reason: string) {
    this.reason = reason
  }
}

function parsed(body: Buffer): unknown {
  try {
    return parseJsonBody(body)
  } catch (error) {
    if (error instanceof JsonError || error instanceof AppError) return new Unparsable(error.message)
    throw error
  }
}

function errorBody(code: number, message: string, word: ErrorCode) {
  return { jsonrpc: '2.0', id: null, error: { code, message, data: { code: word } } }
}
