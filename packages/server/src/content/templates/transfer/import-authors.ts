import { keepLine } from '@recto/lib/text/single-line.ts'
import type { Ctx } from '../../../access/ctx.ts'
import type { Tx } from '../../../platform/database/transaction.ts'
import type { CheckedPage } from '../bundle/bundle-check.ts'
import { type Author, importedApps, importedAuthors } from './store-import.ts'

/** The author of something that an upload contains. */
interface KnownAuthor {
  readonly id: string
  /** The connection that stands for the app by which it was items. */
  readonly via: string | null
}

/** What has authors of a page or file. */
type Authored = Pick<CheckedPage, 'revisions' | 'metadataHistory' | 'threads'>

export type FindAuthor = (author: Author) => KnownAuthor | undefined

/** An author as an upload names one, on one line. */
function toAuthor({ name, kind, via }: Author): Author {
  return { name: keepLine(name) || kind, kind, ...(via !== undefined && { via: keepLine(via) }) }
}

/** The principals of the authors in an upload. It proves nothing: only the caller's own name is matched. */
export async function findAuthors(tx: Ctx & Tx, items: readonly Authored[], now: Date): Promise<FindAuthor> {
  const authors = items.flatMap(listAuthors).map(toAuthor)
  const { id, name, kind } = tx.actor
  const own = toKey({ name, kind })
  const others = new Map(
    authors.map((author) => [toKey(author), author]).filter(([key]) => key !== own) as [string, Author][],
  )
  const knownAuthors = others.size === 0 ? [] : await importedAuthors(tx, [...others.values()], now)
  const ids = new Map([[own, id], ...knownAuthors.map((author) => [toKey(author), author.id] as const)])
  const apps = await importedApps(tx, new Set(authors.flatMap(({ via }) => (via ? [via] : []))), now)
  return (author) => {
    const uploadedAuthor = toAuthor(author)
    const authorId = ids.get(toKey(uploadedAuthor))
    return authorId === undefined
      ? undefined
      : { id: authorId, via: (uploadedAuthor.via && apps.get(uploadedAuthor.via)) || null }
  }
}

function toKey({ name, kind }: Author): string {
  return `${kind}/${name}`
}

/** Everybody who wrote a revision of a page, metadata, or in a thread, or resolved one. */
function listAuthors({ revisions = [], metadataHistory = [], threads = [] }: Authored): Author[] {
  const items = [...revisions, ...metadataHistory, ...threads, ...threads.flatMap(({ comments }) => comments)]
  return [
    ...items.map(({ createdBy }) => createdBy),
    ...threads.flatMap(({ resolvedBy }) => (resolvedBy ? [resolvedBy] : [])),
  ]
}
