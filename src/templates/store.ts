import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../database/database.ts'

/** The pages below this are templates of their space. */
export const TEMPLATE_FOLDER = 'templates/'
/** The first path behind them all: `0` is the character after `/`. */
const BEHIND_FOLDER = 'templates0'

export interface TemplateRow {
  readonly space_slug: string
  readonly path: string
  readonly title: string
  readonly version: number
  readonly frontmatter: string
  readonly updated_at: Date
  /** Bytes of the body, and the body as it is stored. */
  readonly size: number
  readonly data: Buffer
}

interface TemplateWindow {
  readonly spaces: RawBuilder<unknown>
  readonly after: readonly [string, string] | undefined
  readonly limit: number
}

/** Template pages of some spaces, by the slug of their space and their path. */
export async function listTemplatePages(
  db: Db,
  { spaces, after, limit }: TemplateWindow,
): Promise<TemplateRow[]> {
  const slug = sql`coalesce(s.slug, 'personal') collate "C"`
  const { rows } = await sql<TemplateRow>`
    with listed as (
      select ${slug} as space_slug, a.space_id, a.page_id, a.path
      from space s join page_address a on a.space_id = s.id
      where s.id in ${spaces} and a.page_id is not null
        and a.path > ${TEMPLATE_FOLDER} and a.path < ${BEHIND_FOLDER}
        ${after === undefined ? sql`` : sql`and (${slug}, a.path) > (${after[0]}, ${after[1]})`}
      order by space_slug, a.path limit ${limit}
    )
    select l.space_slug, p.path, p.title, p.version, p.frontmatter, p.updated_at, r.size, coalesce(p.body, r.data) as data
    from listed l
    join page p on p.space_id = l.space_id and p.id = l.page_id
    join revision r on r.space_id = p.space_id and r.page_id = p.id and r.version = p.version
    order by l.space_slug, p.path`.execute(db)
  return rows
}
