import type pg from 'pg'
import { elementKeys } from '../packages/server/src/content/metadata/elements.ts'
import { entryKey, toSortKey } from '../packages/server/src/content/metadata/sort-key.ts'
import { loadFast } from './load.ts'

/** Pages whose entries are inserted at once. */
const BATCH = 20_000
/** How many pages the largest space has is about a seventh of all: sizes of spaces fall like 1/n. */
const SPACES = 1000

/**
 * Fills the database with pages of about 8 keys each in one statement a table: a status (70, 15, 10 and 5 %), one of
 * many owners, a priority of 1 to 5, a date on 80 % of the pages, a unique score and ticket, three tags, a switch, and
 * a key that stands on 1 %.
 */
export async function fillMetadata(client: pg.Client, pages: number): Promise<void> {
  const tables = ['page', 'page_address', 'page_metadata', 'metadata_entry', 'metadata_element', 'metadata_key']
  await loadFast(client, tables, () => insert(client, pages))
}

async function insert(client: pg.Client, pages: number): Promise<void> {
  const run = (text: string) => client.query(text)
  await run(`insert into space (slug, kind, name, visibility, default_role, created_at, created_by, updated_at)
    select 'space-' || n, 'shared', 'Space ' || n, 'org', 'viewer', now(), p.id, now()
    from generate_series(1, ${SPACES}) n, (select id from principal limit 1) p`)
  await run(`create temp table made as
    select g.id, s.id as space_id, 'area-' || g.id % 17 || '/page-' || g.id as path
    from (select id, floor(exp(random() * ln(${SPACES} + 1)))::int as n from generate_series(1, ${pages}) id) g
    join space s on s.slug = 'space-' || g.n`)
  await run(`insert into page_address (space_id, path, page_id) select space_id, path, id from made`)
  await run(`insert into page (space_id, id, path, version, revision_id, title, keyframe, keyframe_id,
      created_at, created_by, updated_at, updated_by)
    select space_id, m.id, path, 1, gen_random_uuid(), 'Page ' || m.id, 1, gen_random_uuid(), now(), p.id,
      now() - random() * interval '1000 days', p.id
    from made m, (select id from principal limit 1) p`)
  await run(`select setval('page_id', ${pages} + 1)`)
  await run(`insert into page_metadata (space_id, page_id, doc, stamps, last_seq)
    select space_id, id, doc, (select jsonb_object_agg(key, jsonb_build_array('2026-01-01T00:00:00.000Z', p))
      from jsonb_object_keys(doc) as k (key)), 0
    from (
      select m.space_id, m.id, (select id from principal limit 1) as p, jsonb_strip_nulls(jsonb_build_object(
        'status', case when r < 0.7 then 'active' when r < 0.85 then 'draft' when r < 0.95 then 'review'
          else 'archived' end,
        'owner', 'owner-' || (random() * ${Math.max(1, Math.round(pages / 500))})::int,
        'priority', 1 + floor(random() * 5)::int,
        'due', case when random() < 0.8 then to_char(date '2024-01-01' + (random() * 1000)::int, 'YYYY-MM-DD') end,
        'score', round((random() * 1000000)::numeric, 4),
        'tags', jsonb_build_array('tag-' || (random() * 500)::int, 'tag-' || (random() * 500)::int,
          case when random() < 0.3 then 'common' else 'plain' end),
        'ticket', 'T-' || m.id,
        'done', random() < 0.5,
        'rare', case when random() < 0.01 then m.id end)) as doc
      from made m, lateral (select random() + m.id * 0 as r) x
    ) d`)
  for (let from = 1; from <= pages; from += BATCH) await insertEntries(client, from, from + BATCH)
  await run(`insert into metadata_key (space_id, key, slot, strings, numbers, booleans, arrays, objects, updated_at)
    select space_id, key, page_id % 4, count(*) filter (where jsonb_typeof(doc -> key) = 'string'),
      count(*) filter (where jsonb_typeof(doc -> key) = 'number'),
      count(*) filter (where jsonb_typeof(doc -> key) = 'boolean'),
      count(*) filter (where jsonb_typeof(doc -> key) = 'array'),
      count(*) filter (where jsonb_typeof(doc -> key) = 'object'), now()
    from page_metadata, jsonb_object_keys(doc) as k (key) group by space_id, key, page_id % 4`)
}

/**
 * The entries and elements of the pages with ids from `from` to before `below`, ranked by the product's own functions.
 */
async function insertEntries(client: pg.Client, from: number, below: number): Promise<void> {
  const { rows } = await client.query<{ space_id: string; page_id: string; key: string; value: unknown }>(
    `select space_id, page_id, key, value from page_metadata, jsonb_each(doc) as entry (key, value)
    where page_id >= $1 and page_id < $2`,
    [from, below],
  )
  const ranked = (ranksOf: (key: string, value: unknown) => readonly string[]) =>
    rows.flatMap(({ space_id, page_id, key, value }) =>
      ranksOf(key, value).map((rank) => ({ space_id, page_id, rank })),
    )
  for (const [table, ranks] of [
    ['metadata_entry', ranked((key, value) => [entryKey(key, toSortKey(value))])],
    ['metadata_element', ranked(elementKeys)],
  ] as const) {
    await client.query(
      `insert into ${table} (space_id, page_id, rank)
      select space_id, page_id, decode(rank, 'hex')
      from unnest($1::bigint[], $2::bigint[], $3::text[]) as entry (space_id, page_id, rank)`,
      [ranks.map(({ space_id }) => space_id), ranks.map(({ page_id }) => page_id), ranks.map(({ rank }) => rank)],
    )
  }
}
