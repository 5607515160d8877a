import { sql } from 'kysely'

/** The icon in the front matter of the row `page`, which `parseEmoji` checks. */
export const pageIcon = sql<
  string | null
>`case when page.frontmatter like '%"icon":"%' then left(page.frontmatter::json ->> 'icon', 65) end`
