import type { CompleteResult } from '@modelcontextprotocol/server'
import { AppError } from '@recto/contract/errors.ts'
import { readableSpaces } from '../../access/space.ts'
import type { PagesCtx } from '../../content/pages/ctx.ts'
import { pagesOfSpace } from '../../content/pages/list.ts'
import { REQUEST_TEMPLATE, SPACE_TEMPLATE, TEMPLATE } from './resource-uri.ts'
import { findTask, promptNotFound } from './task-prompts.ts'

/** The limit of the protocol (MCP specification, Completion). */
const MAX_VALUES = 100
const NONE: CompleteResult = { completion: { values: [], hasMore: false } }

/** What `completion/complete` asks for. */
export interface CompletionRequest {
  readonly ref:
    | { readonly type: 'ref/resource'; readonly uri: string }
    | { readonly type: 'ref/prompt'; readonly name: string }
  readonly argument: { readonly name: string; readonly value: string }
  /** The arguments that are known already. */
  readonly context?: { readonly arguments?: Readonly<Record<string, string>> | undefined } | undefined
}

/** Completes spaces and paths that the caller can read, in the templates of resources and the arguments of prompts. */
export async function complete(ctx: PagesCtx, request: CompletionRequest): Promise<CompleteResult> {
  const { argument } = request
  const argumentValues = knownArguments(request)
  if (argument.name === 'space' && argumentValues.hasSpace) return completeSpace(ctx, argument.value)
  if (argument.name === 'path' && argumentValues.space !== undefined)
    return completePath(ctx, argumentValues.space, argument.value)
  return NONE
}

/** The space in which paths are completed, and whether `space` is an argument. */
function knownArguments({ ref, context }: CompletionRequest) {
  const space = context?.arguments?.space
  if (ref.type === 'ref/resource') {
    const templates = [TEMPLATE, SPACE_TEMPLATE, REQUEST_TEMPLATE]
    if (templates.includes(ref.uri)) return { hasSpace: true, space }
    throw new AppError('not_found', `The resource template must be one of ${templates.join(', ')}.`)
  }
  if (findTask(ref.name)) return { hasSpace: true, space }
  const [slug, ...template] = ref.name.split('/')
  if (template.length > 0) return { hasSpace: false, space: slug }
  throw promptNotFound(ref.name)
}

async function completeSpace(ctx: PagesCtx, value: string): Promise<CompleteResult> {
  const spaces = await readableSpaces(ctx)
  const slugs = spaces.map(({ slug }) => slug).filter((slug) => slug.startsWith(value))
  return { completion: { values: slugs.slice(0, MAX_VALUES), hasMore: slugs.length > MAX_VALUES } }
}

async function completePath(ctx: PagesCtx, space: string, prefix: string): Promise<CompleteResult> {
  try {
    const { items, nextCursor } = await pagesOfSpace(ctx, { space, prefix, limit: MAX_VALUES })
    return { completion: { values: items.map(({ path }) => path), hasMore: nextCursor !== null } }
  } catch (error) {
    // A space that is not there, and one that the caller cannot see, have no pages to offer.
    if (error instanceof AppError && error.code === 'not_found') return NONE
    throw error
  }
}
