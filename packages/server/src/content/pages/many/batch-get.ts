import { AppError } from '@recto/contract/errors.ts'
import { type PageAddress, parseSlug, parseWrittenPath } from '@recto/contract/page-address.ts'
import { runItem } from '../../../platform/http/batch.ts'
import type { ProblemDocument } from '../../../platform/http/problems/problem.ts'
import { findMovedAddress } from '../../../platform/http/redirects.ts'
import type { PagesCtx } from '../ctx.ts'
import type { Page } from '../page.ts'
import { type ReadPage, readPage } from '../read.ts'

/** The bodies of one response, in bytes; each is kept in memory until it is sent. */
const MAX_BODY_BYTES = 8 * 1024 * 1024

/** The address as requested, with the page or the problem that a request for it alone would get. */
export interface BatchItem extends PageAddress {
  readonly status: number
  readonly page?: Page & { readonly body: string }
  readonly error?: ProblemDocument
}

/** Reads pages in the order of the input. Moved pages are followed; an error of one page is its own. */
export async function batchGet(ctx: PagesCtx, pages: readonly ReadPage[], requestId: string): Promise<BatchItem[]> {
  const items: BatchItem[] = []
  let remaining = MAX_BODY_BYTES
  for (const input of pages) {
    const { space, path } = input
    const item = await runItem({ requestId, origin: ctx.config.publicUrl }, async () => {
      const { page, body } = await readItem(ctx, input, remaining)
      remaining -= body.length
      return { status: 200, page: { ...page, body: body.toString('utf8') } }
    })
    items.push({ space, path, ...item })
  }
  return items
}

async function readItem(ctx: PagesCtx, input: ReadPage, remaining: number) {
  const parsedItem = { ...input, space: parseSlug(input.space), path: parseWrittenPath(input.path) }
  const revision = await readPage(ctx, parsedItem).catch((error) => readMoved(ctx, parsedItem, error))
  const { body } = revision.content
  if (body.length > remaining) throw overLimit()
  return { page: await revision.page(), body }
}

async function readMoved(ctx: PagesCtx, input: ReadPage, error: unknown) {
  const movedTo = findMovedAddress(error)
  if (!movedTo) throw error
  return readPage(ctx, { ...input, ...movedTo })
}

function overLimit(): AppError {
  const detail =
    `The bodies of one response have at most ${MAX_BODY_BYTES} bytes: ` +
    `request this page in the next batch, or alone.`
  return new AppError('payload_too_large', detail)
}
