import { uuid7 } from '@recto/lib/encoding/uuid7.ts'
import { keepLine } from '@recto/lib/text/single-line.ts'
import type { CreatedPage } from '../../pages/many/create-many.ts'
import type { BundleThread } from '../bundle/bundle.ts'
import type { CheckedPage } from '../bundle/bundle-check.ts'
import type { Author, CommentRow, ThreadRow } from './store-import.ts'

/** The ids of principals by `toAuthorKey`. */
export type AuthorIds = ReadonlyMap<string, string>

export function toAuthorKey({ name, kind }: Author): string {
  return `${kind}/${name}`
}

/** Everybody who wrote in a thread, or resolved it. */
export function listAuthors({ createdBy, resolvedBy, comments }: BundleThread): Author[] {
  const authors = [createdBy, resolvedBy, ...comments.map((comment) => comment.createdBy)]
  return authors.flatMap((author) => (author ? [toAuthor(author)] : []))
}

/** An author as an upload names one, on one line. */
export function toAuthor({ name, kind }: Author): Author {
  return { name: keepLine(name) || kind, kind }
}

/** The threads of the pages that were created, with their comments. */
export function toThreadRows(
  createdPages: readonly CreatedPage[],
  pages: readonly CheckedPage[],
  authors: AuthorIds,
): { readonly threads: ThreadRow[]; readonly comments: CommentRow[] } {
  const created = new Map(createdPages.map((page) => [page.path, page]))
  const findId = (author: Author | undefined) => (author && authors.get(toAuthorKey(toAuthor(author)))) ?? null
  const rows = pages.flatMap((page) => {
    const createdPage = created.get(page.path)
    return createdPage ? (page.threads ?? []).map((thread) => toRows(thread, page, createdPage, findId)) : []
  })
  return { threads: rows.map(({ thread }) => thread), comments: rows.flatMap(({ comments }) => comments) }
}

function toRows(
  uploadedThread: BundleThread,
  page: CheckedPage,
  { pageId, version }: CreatedPage,
  findId: (author: Author | undefined) => string | null,
): { readonly thread: ThreadRow; readonly comments: CommentRow[] } {
  const id = uuid7()
  const { quote, createdAt, createdBy, resolvedAt, resolvedBy, comments } = uploadedThread
  const place = quote && findPlace(uploadedThread, page, version)
  const thread = {
    id,
    page_id: pageId,
    author_id: findId(createdBy),
    created_at: createdAt,
    resolved_at: resolvedAt ?? null,
    resolved_by: resolvedAt === undefined ? null : findId(resolvedBy ?? createdBy),
    quote: quote ? { prefix: '', suffix: '', ...quote } : null,
    ...(place ?? NOWHERE),
    seen_version: quote ? (place?.version ?? version) : null,
    outdated: quote !== undefined && !place,
  }
  return {
    thread,
    comments: comments.map(({ body, createdAt: at, createdBy: by, editedAt = null }) => {
      return { thread_id: id, id: uuid7(), author_id: findId(by), body, created_at: at, edited_at: editedAt }
    }),
  }
}

const NOWHERE = { version: null, start: null, end: null, start_line: null, end_line: null }

/**
 * The place of a quote, if it is there. The page may have other versions than in the bundle, since its address has had
 * pages: they are counted from the latest one.
 */
function findPlace({ place, quote }: BundleThread, { body, revisions = [] }: CheckedPage, latest: number) {
  if (!place || !quote) return undefined
  const { start, end, startLine, endLine } = place
  const behind = (revisions.at(-1)?.version ?? place.version) - place.version
  const revision = revisions.at(-1 - behind)
  if (behind < 0 || (behind > 0 && !revision)) return undefined
  if ((revision?.body ?? body).slice(start, end) !== quote.exact) return undefined
  return { version: latest - behind, start, end, start_line: startLine, end_line: endLine }
}
