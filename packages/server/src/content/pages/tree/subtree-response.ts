import { type AppError, inputError } from '@recto/contract/errors.ts'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { linkHeader } from '../../../platform/http/headers/link-header.ts'
import type { List, PageQuery } from '../../../platform/http/paging.ts'
import { pagesOfSpace } from '../list.ts'
import type { Page } from '../page.ts'
import { readSubtree } from './subtree.ts'

/** The query parameter that asks for a document. */
export const formatParameter = Type.Optional(
  Type.Literal('md', {
    description: 'The pages as one Markdown document with a table of contents; it names the URL of the rest.',
  }),
)

type SubtreeQuery = Parameters<typeof readSubtree>[1]

/** Sends several pages as one Markdown document, with the URL of the rest in `Link`. */
export async function sendSubtree(
  { ctx, originalUrl }: FastifyRequest,
  reply: FastifyReply,
  query: SubtreeQuery,
): Promise<FastifyReply> {
  const nextUrl = (cursor: string) => {
    const { origin, pathname, searchParams } = new URL(originalUrl, ctx.config.publicUrl)
    searchParams.set('cursor', cursor)
    return `${origin}${pathname}?${searchParams}`
  }
  const { markdown, nextCursor } = await readSubtree(ctx, query, nextUrl)
  if (nextCursor !== null) reply.header('Link', linkHeader([{ url: nextUrl(nextCursor), rel: 'next' }]))
  return reply.type('text/markdown; charset=utf-8').send(markdown)
}

/** Sends a list of pages, or with `format` the pages themselves. */
export async function sendPages(
  request: FastifyRequest,
  reply: FastifyReply,
  { format, ...query }: PageQuery & { readonly space: string; readonly prefix?: string; readonly format?: 'md' },
): Promise<List<Page>> {
  if (format === undefined) return pagesOfSpace(request.ctx, query)
  const { limit: _, ...subtree } = query
  return (await sendSubtree(request, reply, subtree)) as never // the schema is that of the list
}

export function requiresFormat(parameter: string): AppError {
  const message = parameter === 'version' ? 'cannot be combined with `format`' : 'requires `format`'
  const detail = `The query is not valid: \`${parameter}\` ${message}.`
  return inputError('invalid_request', detail, `/${parameter}`, message)
}
