import { type RawBuilder, sql } from 'kysely'
import { isNoTemplate } from '../../access/template-folder.ts'
import { isPageOutside, type ReadableParts } from '../../access/visibility.ts'

export interface SearchedPages extends ReadableParts {
  /** Whether page templates are left out, or all that is searched; absent: they are pages as others. */
  readonly templates?: 'out' | 'only' | undefined
  /** A further condition on the row of `page_search`. */
  readonly condition?: RawBuilder<boolean> | undefined
}

/**
 * Whether a row of `page_search` is of the searched pages, as far as templates go. Their names have the word: only
 * pages with it are read, each by a subquery, as a join may read all pages.
 */
export function meetsTemplates({ templates }: Pick<SearchedPages, 'templates'>): RawBuilder<boolean> {
  if (templates === undefined) return sql<boolean>`true`
  const isPage = sql`(select ${isNoTemplate('placed.path')} from page placed
    where placed.space_id = page_search.space_id and placed.id = page_search.page_id)`
  const isNamed = sql`page_search.title @@ 'templates'::tsquery`
  return templates === 'only'
    ? sql<boolean>`${isNamed} and ${isPage} is false`
    : sql<boolean>`case when ${isNamed} then ${isPage} is true else true end`
}

/** Whether it is at no hidden place, either. */
export function isOpenRow(pages: Pick<SearchedPages, 'hidden' | 'templates'>): RawBuilder<boolean> {
  const isOutside = isPageOutside(pages.hidden, 'page_search.space_id', 'page_search.page_id')
  return sql<boolean>`${isOutside} and ${meetsTemplates(pages)}`
}
