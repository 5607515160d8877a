import { sql } from 'kysely'
import { read, write } from '../database/statement.ts'

/** Addresses as JSON: `[{ slug, path }]`, where an empty slug means the space `spaceId`. */
interface AddressesArgs {
  readonly spaceId: number
  readonly targets: string
}

/** The space of the row `t`, in the order of precedence of addresses: by its slug, else by a former one. */
const namedSpace = (a: AddressesArgs) => sql`case when t.slug = '' then ${a.spaceId}::bigint else coalesce(
  (select id from space where slug = t.slug collate "C"),
  (select space_id from former_slug where slug = t.slug collate "C")) end`

/**
 * The key of the row `x` among the links of its page. A release before slugs were stored knows one row of a page for
 * each address, and may run beside this one: so the first link to an address has the address's id as its key, and one
 * that names the same address by another slug has a negative key, which that release ignores, with the address in
 * `address_id`.
 */
const linkKey = sql`case when x.address_id is null then null
  when row_number() over (partition by x.page_id, x.address_id order by x.ord) = 1 then x.address_id
  else -1 - x.ord end as target_id`

/** Whether the stored row `l` differs from the row `w`. */
const differs = sql`(l.page_id is null
  or (l.target_space_id, l.address_id, l.slug, l.ord, l.line, l.text, l.more) is distinct from
    (w.target_space_id, case when w.target_id < 0 then w.address_id end, w.slug collate "C", w.ord, w.line, w.text, w.more))`

/** Inserts rows for new addresses in existing spaces, in one order for all transactions. */
export const insertAddresses = write(
  'insert_addresses',
  (a: AddressesArgs) => sql<unknown>`
    insert into page_address (space_id, path)
    select x.space_id, x.path from (
      select ${namedSpace(a)} as space_id, t.path collate "C" as path
      from jsonb_to_recordset(${a.targets}::jsonb) as t (slug text, path text)
    ) x
    where x.space_id is not null
      and not exists (select 1 from page_address a where a.space_id = x.space_id and a.path = x.path)
    order by 1, 2
    on conflict (space_id, path) do nothing`,
)

export interface ReplacedRow {
  /** Targets whose address was inserted by another transaction meanwhile, or is in a space that does not exist. */
  readonly pending: number
  /** Targets in spaces that do not exist. */
  readonly unknown: readonly { readonly slug: string; readonly path: string }[] | null
}

/**
 * Replaces the links of some pages of a space by those of `targets`, as far as their addresses are known, and writes
 * only what differs. Run again while something is pending: that is the difference then.
 */
export const replaceRows = write(
  'replace_links',
  (a: AddressesArgs & { pages: string }) => sql<ReplacedRow>`
    with source as materialized (
      select page_id, decode(digest, 'hex') as digest
      from jsonb_to_recordset(${a.pages}::jsonb) as t (page_id bigint, digest text)
    ), given as materialized (
      select * from jsonb_to_recordset(${a.targets}::jsonb)
        as t (page_id bigint, slug text, path text, ord integer, line integer, text text, more jsonb)
    ), named as materialized (
      -- Locked until the end: a space that is being deleted must not get another link.
      select id, slug from space
      where slug = any(array(select distinct slug collate "C" from given where slug <> ''))
      for key share
    ), renamed as materialized (
      -- Locked as well, so that a space which takes the slug finds the links by it.
      select f.slug, f.space_id from former_slug f join space s on s.id = f.space_id
      where f.slug = any(array(select distinct slug collate "C" from given where slug <> ''))
      for key share
    ), target as materialized (
      select t.*, case when t.slug = '' then ${a.spaceId}::bigint else coalesce(s.id, f.space_id) end as target_space_id
      from given t
      left join named s on s.slug = t.slug collate "C"
      left join renamed f on f.slug = t.slug collate "C"
    ), known as materialized (
      select t.*, coalesce(a.id, u.id) as address_id
      from target t
      left join page_address a on a.space_id = t.target_space_id and a.path = t.path collate "C"
      left join unknown_address u on t.target_space_id is null and u.slug = t.slug collate "C" and u.path = t.path collate "C"
    ), added as (
      insert into page_address (space_id, path)
      select distinct target_space_id, path collate "C" from known
      where address_id is null and target_space_id is not null order by 1, 2
      on conflict (space_id, path) do nothing
      returning space_id, path, id
    ), wanted as materialized (
      select x.*, ${linkKey} from (
        select k.page_id, k.slug, k.path, k.target_space_id, coalesce(k.address_id, a.id) as address_id,
          k.ord, k.line, k.text, k.more
        from known k left join added a on a.space_id = k.target_space_id and a.path = k.path
      ) x
    ), gone as (
      delete from link l using source s
      where l.space_id = ${a.spaceId} and l.page_id = s.page_id
        and not exists (
          select 1 from wanted w where w.page_id = l.page_id and w.target_id = l.target_id)
    ), put as (
      insert into link (space_id, page_id, target_space_id, target_id, address_id, slug, ord, line, text, more)
      select ${a.spaceId}::bigint, w.page_id, w.target_space_id, w.target_id,
        case when w.target_id < 0 then w.address_id end, w.slug, w.ord, w.line, w.text, w.more
      from wanted w
      left join link l on l.space_id = ${a.spaceId} and l.page_id = w.page_id and l.target_id = w.target_id
      where w.target_id is not null and ${differs}
      on conflict (space_id, page_id, target_id) do update set target_space_id = excluded.target_space_id,
        address_id = excluded.address_id, slug = excluded.slug,
        ord = excluded.ord, line = excluded.line, text = excluded.text, more = excluded.more
    ), spaces as (
      insert into space_link (space_id, target_space_id)
      select distinct ${a.spaceId}::bigint, w.target_space_id from wanted w
      where w.target_space_id <> ${a.spaceId} and not exists (
        select 1 from space_link k where k.space_id = ${a.spaceId} and k.target_space_id = w.target_space_id)
      order by 2
      on conflict do nothing
    ), noted as (
      update page p set links_digest = s.digest from source s
      where p.space_id = ${a.spaceId} and p.id = s.page_id and p.links_digest is distinct from s.digest
    )
    select (count(*) filter (where target_id is null))::int as pending,
      jsonb_agg(jsonb_build_object('slug', slug, 'path', path)) filter (where target_space_id is null) as unknown
    from wanted`,
)

/**
 * The pages of a space whose stored links differ from `targets`, or whose version does. It returns what `replaceRows`
 * would change.
 */
export const compareLinks = read(
  'compare_links',
  (a: AddressesArgs & { pages: string; versions: string }) => sql<{ page_id: number }>`
    with source as materialized (
      select t.page_id, decode(t.digest, 'hex') as digest, v.version
      from jsonb_to_recordset(${a.pages}::jsonb) as t (page_id bigint, digest text)
      join jsonb_to_recordset(${a.versions}::jsonb) as v (page_id bigint, version integer) on v.page_id = t.page_id
    ), target as materialized (
      select t.*, ${namedSpace(a)} as target_space_id
      from jsonb_to_recordset(${a.targets}::jsonb)
        as t (page_id bigint, slug text, path text, ord integer, line integer, text text, more jsonb)
    ), known as (
      select t.*, coalesce(a.id, u.id) as address_id
      from target t
      left join page_address a on a.space_id = t.target_space_id and a.path = t.path collate "C"
      left join unknown_address u on t.target_space_id is null and u.slug = t.slug collate "C" and u.path = t.path collate "C"
    ), wanted as materialized (
      select x.*, ${linkKey} from known x
    ), missing as (
      select w.page_id from wanted w
      left join link l on l.space_id = ${a.spaceId} and l.page_id = w.page_id and l.target_id = w.target_id
      where ${differs}
    ), unheard as (
      select w.page_id from wanted w where w.target_space_id <> ${a.spaceId}
      and not exists (select 1 from space_link k where k.space_id = ${a.spaceId} and k.target_space_id = w.target_space_id)
    ), stored as (
      select l.page_id, count(*) as links from link l
      where l.space_id = ${a.spaceId} and l.page_id in (select page_id from source) group by l.page_id
    ), counted as (
      select page_id, count(*) as links from wanted group by page_id
    )
    select s.page_id from source s
    join page p on p.space_id = ${a.spaceId} and p.id = s.page_id and p.deleted_at is null
    left join stored l on l.page_id = s.page_id
    left join counted c on c.page_id = s.page_id
    where p.version <> s.version or p.links_digest is distinct from s.digest
      or coalesce(l.links, 0) <> coalesce(c.links, 0)
      or s.page_id in (select page_id from missing) or s.page_id in (select page_id from unheard)`,
)

/** Inserts rows for addresses whose slugs are locked, unless such a space was created before. */
export const insertUnknown = write(
  'insert_unknown_addresses',
  (a: { targets: string }) => sql<unknown>`
    insert into unknown_address (slug, path)
    select distinct t.slug collate "C", t.path collate "C"
    from jsonb_to_recordset(${a.targets}::jsonb) as t (slug text, path text)
    where not exists (select 1 from space s where s.slug = t.slug)
      and not exists (select 1 from former_slug f where f.slug = t.slug)
    order by 1, 2
    on conflict (slug, path) do nothing`,
)
