import { promisify } from 'node:util'
import { zstdCompress } from 'node:zlib'
import type pg from 'pg'
import { sampleBody } from './measure.ts'

export const SEARCH_SPACES = 100
export const SEARCH_TABLES = ['page', 'page_address', 'revision', 'page_search']
const WORDS = 50_000

/** Fills the database with pages in spaces `space0` to `space99`, with paths such as `folder7/p4242`. */
export async function fillSearch(client: pg.Client, pages: number): Promise<void> {
  await client.query(`insert into space (id, slug, kind, name, visibility, default_role, created_at, created_by,
    updated_at)
    select 1000 + n, 'space' || n, 'shared', 'Space ' || n, 'org', 'viewer', now(), p.id, now()
    from generate_series(0, ${SEARCH_SPACES - 1}) n, (select id from principal limit 1) p`)
  const data = await promisify(zstdCompress)(Buffer.from(sampleBody(1500)))
  await client.query(
    `insert into page (space_id, id, path, version, revision_id, title, keyframe, keyframe_id, created_at, created_by,
      updated_at, updated_by)
    select 1000 + n % ${SEARCH_SPACES}, n, 'folder' || n % 500 || '/p' || n, 1, gen_random_uuid(), 'Page ' || n, 1,
      gen_random_uuid(), now(), p.id, now(), p.id
    from generate_series(1, ${pages}) n, (select id from principal limit 1) p`,
  )
  await client.query('insert into page_address (space_id, path, page_id) select space_id, path, id from page')
  await client.query(
    `insert into revision (space_id, page_id, version, id, title, size, data, created_at, created_by)
    select space_id, id, 1, gen_random_uuid(), title, 1500, $1, now(), created_by from page`,
    [data],
  )
  // The n-th word by frequency is 1/n as frequent as the first.
  await client.query(`insert into page_search (space_id, page_id, title, words)
    select 1000 + n % ${SEARCH_SPACES}, n, x.title::tsvector, x.words::tsvector
    from generate_series(1, ${pages}) n cross join lateral (
      select string_agg(format('''%s'':%sA', w, i), ' ') filter (where i <= 4) as title,
        string_agg(format('''%s'':%s%s', w, i, case when i <= 4 then 'A' end), ' ') as words
      from (select i, 'w' || floor(exp(random() * ln(${WORDS}) + n * 0))::int || 'x' as w
        from generate_series(1, 64) i) y) x`)
  await client.query(`select setval('page_id', ${pages})`)
}
