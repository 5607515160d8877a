import { type Db, queryRows } from '../../../platform/database/database.ts'
import { isOpenRow, type SearchedPages } from '../../search/store-templates.ts'
import { limitInEach } from './store-titles.ts'

/** A page that has the words of a query, each as a prefix. */
export interface NewestMatchRow {
  readonly space: string
  readonly path: string
  readonly title: string
  /** The packed body of the first pages with the words in a heading. */
  readonly data: Buffer | null
  /** The words of its title and text with the prefix. */
  readonly words: readonly string[]
}

/** The maximum of pages that are compared with the query, at least some of each space. */
const COMPARED = 400
const FOUND = 50
const READ = 8
const WORDS = 20

/**
 * The newest pages of some spaces that have the words. Plan: a range of the primary key of page_search for each space,
 * without the index of words, which would read every word with the prefix, wherever it is.
 */
export async function listNewestMatches(
  db: Db,
  { begun, prefix, ...spaces }: SearchedPages & { readonly begun: string; readonly prefix: string },
): Promise<NewestMatchRow[]> {
  const inHeadings = inNamesAndHeadings(begun)
  return queryRows<NewestMatchRow>(db)`
    with matching as materialized (
      select compared.*, compared.words @@ ${inHeadings}::tsquery as in_heading
      from (
        select newest.* from unnest(${spaces.spaceIds}::bigint[]) as searched (id) cross join lateral (
          select page_search.space_id, page_search.page_id, page_search.words from page_search
          where page_search.space_id = searched.id and ${isOpenRow(spaces)}
          order by page_search.page_id desc limit ${limitInEach(spaces.spaceIds, COMPARED)}
        ) newest order by newest.page_id desc limit ${COMPARED}
      ) compared
      where compared.words @@ ${begun}::tsquery order by compared.page_id desc limit ${FOUND}
    ), numbered as (
      select *, row_number() over (partition by in_heading order by page_id desc) as place from matching
    )
    select coalesce(space.slug, 'personal') as space, page.path, page.title,
      case when in_heading and place <= ${READ} then coalesce(page.body, (select revision.data from revision
        where revision.space_id = page.space_id and revision.page_id = page.id and revision.version = page.version))
        end as data,
      array(select entry.lexeme from unnest(numbered.words) as entry (lexeme, positions, weights)
        where starts_with(entry.lexeme, ${prefix}) and entry.weights && '{A,C}' limit ${WORDS}) as words
    from numbered
    join page on page.space_id = numbered.space_id and page.id = numbered.page_id and page.deleted_at is null
    join space on space.id = page.space_id
    order by page.id desc`
}

/** Words of names (A) and headings (B) as they were written; stems of names are among them, and are filtered later. */
function inNamesAndHeadings(query: string): string {
  return query
    .split(' & ')
    .map((term) => (term.endsWith(':*') ? `${term}AB` : `${term}:AB`))
    .join(' & ')
}
