import { sql } from 'kysely'
import { type AccessSubject, memberJoin, rankIn } from '../access/visibility.ts'
import { read } from '../database/statement.ts'
import type { Language } from '../lib/languages.ts'

/** A space that is searched. */
export interface SearchedSpace {
  readonly id: number
  readonly slug: string
  /** Its own language, and those in the front matter of its pages. */
  readonly languages: readonly Language[]
}

/** The spaces that the caller can read with the languages of their pages, in the order of their slugs. */
export const readSearched = read(
  'searched_spaces',
  (subject: AccessSubject) => sql<SearchedSpace>`
    select space.id, coalesce(space.slug, 'personal') as slug,
      array[space.language] || coalesce(named.languages, '{}') as languages
    from space ${memberJoin(subject)}
    left join (select space_id, array_agg(language::text) as languages from space_language group by space_id) named
      on named.space_id = space.id
    where ${rankIn(subject)} >= 1 order by coalesce(space.slug, 'personal') collate "C"`,
)
