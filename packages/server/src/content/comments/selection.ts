import { AppError } from '@recto/contract/errors.ts'
import type { PageAddress } from '@recto/contract/page-address.ts'
import type { PagesCtx } from '../pages/ctx.ts'
import { readPage } from '../pages/read.ts'
import type { Thread } from './schema.ts'
import { createThread } from './threads.ts'

/** Characters of the body before and after a passage that tell it from equal ones. */
const CONTEXT = 200
const MAX_QUOTE = 1000

/** What a reader has selected in the text of a page as it is shown, and the text around it. */
export interface Selection {
  readonly text: string
  readonly before: string
  readonly after: string
}

/** Begins a thread about the passage of the source that a reader has selected. */
export async function commentOnSelection(
  ctx: PagesCtx,
  address: PageAddress,
  { body, selection }: { readonly body: string; readonly selection: Selection },
): Promise<Thread> {
  const { content, version } = await readPage(ctx, address)
  const source = content.body.toString('utf8')
  const passage = await ctx.pages.markdown.findVisible(source, selection)
  if (!passage)
    throw new AppError('quote_not_found', 'The passage is not text of the page: select words of one part of it.')
  const { start, end } = passage
  if (end - start > MAX_QUOTE) throw new AppError('invalid_request', `A passage has at most ${MAX_QUOTE} characters.`)
  const quote = {
    exact: source.slice(start, end),
    prefix: source.slice(Math.max(0, start - CONTEXT), start).toWellFormed(),
    suffix: source.slice(end, end + CONTEXT).toWellFormed(),
  }
  return createThread(ctx, address, { body, quote, version })
}
