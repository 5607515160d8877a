import { uuid7 } from '@recto/lib/encoding/uuid7.ts'
import type { CreatedPage } from '../../pages/many/create-many.ts'
import type { BundleThread } from '../bundle/bundle.ts'
import type { CheckedPage } from '../bundle/bundle-check.ts'
import type { FindAuthor } from './import-authors.ts'
import type { Author, CommentRow, ThreadRow } from './store-import.ts'

interface Rows {
  readonly threads: ThreadRow[]
  readonly comments: CommentRow[]
}

/** The threads of the pages that were created, with their comments. */
export function toThreadRows(
  createdPages: readonly CreatedPage[],
  pages: readonly CheckedPage[],
  findAuthor: FindAuthor,
): Rows {
  const created = new Map(createdPages.map((page) => [page.path, page]))
  return joinRows(
    pages.flatMap((page) => {
      const createdPage = created.get(page.path)
      if (!createdPage) return []
      const { pageId, version } = createdPage
      return (page.threads ?? []).map((thread) => {
        const place = findPlace(thread, page, version)
        const { quote } = thread
        const subject = {
          ...{ page_id: pageId, file_id: null },
          quote: quote ? { prefix: '', suffix: '', ...quote } : null,
          ...(place ?? NOWHERE),
          seen_version: quote ? (place?.version ?? version) : null,
          outdated: quote !== undefined && !place,
        }
        return toRows(thread, subject, findAuthor)
      })
    }),
  )
}

/** The threads of the files that were created, with their comments. */
export function toFileThreadRows(
  createdFiles: readonly { readonly fileId: number; readonly threads: readonly BundleThread[] }[],
  findAuthor: FindAuthor,
): Rows {
  return joinRows(
    createdFiles.flatMap(({ fileId, threads }) => {
      const subject = { page_id: null, file_id: fileId, quote: null, ...NOWHERE, seen_version: null, outdated: false }
      return threads.map((thread) => toRows(thread, subject, findAuthor))
    }),
  )
}

function joinRows(rows: readonly { readonly thread: ThreadRow; readonly comments: CommentRow[] }[]): Rows {
  return { threads: rows.map(({ thread }) => thread), comments: rows.flatMap(({ comments }) => comments) }
}

function toRows(
  { createdAt, createdBy, resolvedAt, resolvedBy, comments }: BundleThread,
  subject: Omit<ThreadRow, 'id' | 'author_id' | 'created_at' | 'resolved_at' | 'resolved_by'>,
  findAuthor: FindAuthor,
): { readonly thread: ThreadRow; readonly comments: CommentRow[] } {
  const id = uuid7()
  const findId = (author: Author) => findAuthor(author)?.id ?? null
  const thread = {
    id,
    author_id: findId(createdBy),
    created_at: createdAt,
    resolved_at: resolvedAt ?? null,
    resolved_by: resolvedAt === undefined ? null : findId(resolvedBy ?? createdBy),
    ...subject,
  }
  return {
    thread,
    comments: comments.map(({ body, createdAt: at, createdBy: by, editedAt = null }) => {
      const via = findAuthor(by)?.via ?? null
      return { thread_id: id, id: uuid7(), author_id: findId(by), via, body, created_at: at, edited_at: editedAt }
    }),
  }
}

const NOWHERE = { version: null, start: null, end: null, start_line: null, end_line: null }

/** The place of a quote, if it is there. Versions of the bundle are counted from the latest one of the page. */
function findPlace({ place, quote }: BundleThread, { body, revisions = [] }: CheckedPage, latest: number) {
  if (!place || !quote) return undefined
  const { start, end, startLine, endLine } = place
  const revisionsAgo = (revisions.at(-1)?.version ?? place.version) - place.version
  const revision = revisions.at(-1 - revisionsAgo)
  if (revisionsAgo < 0 || (revisionsAgo > 0 && !revision)) return undefined
  if ((revision?.body ?? body).slice(start, end) !== quote.exact) return undefined
  return { version: latest - revisionsAgo, start, end, start_line: startLine, end_line: endLine }
}
