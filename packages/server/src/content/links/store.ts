import { sql } from 'kysely'
import { read, write } from '../../platform/database/database.ts'

/** Addresses as JSON: `[{ slug, path }]`, where an empty slug means the space `spaceId`. */
interface AddressesArgs {
  readonly spaceId: number
  readonly targets: string
}

/** The space of the row `input`, in the order of precedence of addresses: by its slug, else by a former one. */
const namedSpace = (a: AddressesArgs) => sql`case when input.slug = '' then ${a.spaceId}::bigint else coalesce(
  (select id from space where slug = input.slug collate "C"),
  (select space_id from former_slug where slug = input.slug collate "C")) end`

/**
 * The key of the row `found` among the links of its page. A release before slugs were stored knows one row of a page
 * for each address, and may run at the same time: so the first link to an address has the address's id as its key, and
 * one that names the same address by another slug has a negative key, which that release ignores, with the address in
 * `address_id`.
 */
const linkKey = sql`case when found.address_id is null then null
  when row_number() over (partition by found.page_id, found.address_id order by found.ord) = 1 then found.address_id
  else -1 - found.ord end as target_id`

/** Whether the stored row `link` differs from the row `wanted`. */
const differs = sql`(link.page_id is null
  or (link.target_space_id, link.address_id, link.slug, link.ord, link.line, link.text, link.more) is distinct from
    (wanted.target_space_id, case when wanted.target_id < 0 then wanted.address_id end, wanted.slug collate "C",
      wanted.ord, wanted.line, wanted.text, wanted.more))`

/** The condition of the pages of `source` on a column. Plan: ranges of a key; a join may read all links. */
const ofSource = sql`any(array(select page_id from source))`

/** Joins the stored row `link` to the row `wanted`. Plan: by the key, row by row, however many links the space has. */
const storedLink = (a: AddressesArgs, onlyIf = sql`true`) => sql`left join lateral (
  select * from link where ${onlyIf} and link.space_id = ${a.spaceId} and link.page_id = wanted.page_id
    and link.target_id = wanted.target_id offset 0
) link on true`

/** Links as JSON, of pages of the space `spaceId`. */
interface LinksArgs extends AddressesArgs {
  /** `[{ page_id, digest }]`: the pages, and the digests of their links. */
  readonly pages: string
}

const linkRows = (a: AddressesArgs) => sql`jsonb_to_recordset(${a.targets}::jsonb)
  as input (page_id bigint, slug text, path text, ord integer, line integer, text text, more jsonb)`

/** The rows `target` with the ids of their addresses, if any. Plan: by the keys, row by row, as `storedLink`. */
const knownTargets = sql`
  select target.*, coalesce(address.id, unknown.id) as address_id
  from target
  left join lateral (
    select id from page_address where space_id = target.target_space_id and path = target.path collate "C" offset 0
  ) address on true
  left join lateral (
    select id from unknown_address
    where target.target_space_id is null and slug = target.slug collate "C" and path = target.path collate "C" offset 0
  ) unknown on true`

/** Inserts rows for new addresses in existing spaces, in one order for all transactions. */
export const insertAddresses = write(
  'insert_addresses',
  (a: AddressesArgs) => sql<unknown>`
    insert into page_address (space_id, path)
    select named.space_id, named.path from (
      select ${namedSpace(a)} as space_id, input.path collate "C" as path
      from jsonb_to_recordset(${a.targets}::jsonb) as input (slug text, path text)
    ) named
    -- By the key, row by row: an anti-join may read all addresses.
    left join lateral (
      select id from page_address where space_id = named.space_id and path = named.path offset 0
    ) known on true
    where named.space_id is not null and known.id is null
    order by 1, 2
    on conflict (space_id, path) do nothing`,
)

export interface ReplacedRow {
  /** Targets whose address was inserted by another transaction meanwhile, or is in a space that does not exist. */
  readonly pending: number
  /** Targets in spaces that do not exist. */
  readonly unknown: readonly { readonly slug: string; readonly path: string }[] | null
}

/** The tables `input` and `target`: the links, and the spaces that they name. */
const lockedTargets = (a: LinksArgs) => sql`
  input as materialized (
    select * from ${linkRows(a)}
  ), named as materialized (
    -- Locked until the end: a space that is being deleted must not get another link.
    select id, slug from space
    where slug = any(array(select distinct slug collate "C" from input where slug <> ''))
    for key share
  ), renamed as materialized (
    -- Locked as well, so that a space which takes the slug finds the links by it.
    select former.slug, former.space_id from former_slug former join space on space.id = former.space_id
    where former.slug = any(array(select distinct slug collate "C" from input where slug <> ''))
    for key share
  ), target as materialized (
    select input.*,
      case when input.slug = '' then ${a.spaceId}::bigint else coalesce(named.id, renamed.space_id)
      end as target_space_id
    from input
    left join named on named.slug = input.slug collate "C"
    left join renamed on renamed.slug = input.slug collate "C"
  )`

/** Deletes and writes rows of `link` so that they are those of `wanted`. Plan: the wanted ones are a hash table. */
const writtenLinks = (a: LinksArgs) => sql`
  linked as materialized (
    -- New pages have no links, which is found out by their ranges of the key instead of by each link.
    select from link where link.space_id = ${a.spaceId} and link.page_id = ${ofSource} limit 1
  ), deleted as (
    delete from link
    where link.space_id = ${a.spaceId} and link.page_id = ${ofSource}
      and ((link.page_id, link.target_id) in (select page_id, target_id from wanted
        where target_id is not null)) is not true
  ), upserted as (
    insert into link (space_id, page_id, target_space_id, target_id, address_id, slug, ord, line, text, more)
    select ${a.spaceId}::bigint, wanted.page_id, wanted.target_space_id, wanted.target_id,
      case when wanted.target_id < 0
        then wanted.address_id end, wanted.slug, wanted.ord, wanted.line, wanted.text, wanted.more
    from wanted ${storedLink(a, sql`exists (select from linked)`)}
    where wanted.target_id is not null and ${differs}
    on conflict (space_id, page_id, target_id) do update set target_space_id = excluded.target_space_id,
      address_id = excluded.address_id, slug = excluded.slug,
      ord = excluded.ord, line = excluded.line, text = excluded.text, more = excluded.more
  )`

/**
 * Replaces the links of some pages of a space by those of `targets`, as far as their addresses are known, and writes
 * only what differs. Run again while something is pending: that is the difference then.
 */
export const replaceRows = write(
  'replace_links',
  (a: LinksArgs) => sql<ReplacedRow>`
    with source as materialized (
      select page_id, decode(digest, 'hex') as digest
      from jsonb_to_recordset(${a.pages}::jsonb) as source (page_id bigint, digest text)
    ), ${lockedTargets(a)},
    known as materialized (${knownTargets}),
    added as (
      insert into page_address (space_id, path)
      select distinct target_space_id, path collate "C" from known
      where address_id is null and target_space_id is not null order by 1, 2
      on conflict (space_id, path) do nothing
      returning space_id, path, id
    ), wanted as materialized (
      select found.*, ${linkKey} from (
        select known.page_id, known.slug, known.path, known.target_space_id,
          coalesce(known.address_id, added.id) as address_id,
          known.ord, known.line, known.text, known.more
        from known left join added on added.space_id = known.target_space_id and added.path = known.path
      ) found
    ), ${writtenLinks(a)},
    spaces as (
      insert into space_link (space_id, target_space_id)
      select distinct ${a.spaceId}::bigint, wanted.target_space_id from wanted
      where wanted.target_space_id <> ${a.spaceId} and not exists (
        select 1 from space_link where space_link.space_id = ${a.spaceId}
          and space_link.target_space_id = wanted.target_space_id)
      order by 2
      on conflict do nothing
    ), changed as materialized (
      select source.* from source cross join lateral (
        select links_digest from page where space_id = ${a.spaceId} and id = source.page_id offset 0
      ) stored where stored.links_digest is distinct from source.digest
    ), updated as (
      -- A new page has its digest. Then nothing is read: the plan of a space that has just been filled may be one
      -- that reads all of its pages.
      update page set links_digest = changed.digest from changed
      where page.space_id = ${a.spaceId} and page.id = any(array(select page_id from changed))
        and page.id = changed.page_id
        and exists (select from changed)
    )
    select (count(*) filter (where target_id is null))::int as pending,
      jsonb_agg(jsonb_build_object('slug', slug, 'path', path)) filter (where target_space_id is null) as unknown
    from wanted`,
)

interface ComparedArgs extends LinksArgs {
  /** `[{ page_id, version }]`: the versions whose links these are. */
  readonly versions: string
  /** References to files as JSON. */
  readonly files: string
}

/** The pages of `source` whose stored references to files differ from `files`. */
const differingFiles = (a: ComparedArgs) => sql`
  select coalesce(stored_file.page_id, wanted_file.page_id) as page_id
  from (
    select * from file_link where space_id = ${a.spaceId} and page_id = ${ofSource}
  ) stored_file
  full join jsonb_to_recordset(${a.files}::jsonb) as wanted_file (page_id bigint, slug text, path text, ord integer,
    line integer, text text, maybe_page boolean, surely_file boolean)
    on wanted_file.page_id = stored_file.page_id and wanted_file.slug = stored_file.slug
      and wanted_file.path = stored_file.path
  where (stored_file.ord, stored_file.line, stored_file.text, stored_file.maybe_page, stored_file.surely_file)
    is distinct from
      (wanted_file.ord, wanted_file.line, wanted_file.text, wanted_file.maybe_page, wanted_file.surely_file)`

/** The pages of a space whose stored links or version differ from `targets`: what `replaceRows` would change. */
export const compareLinks = read(
  'compare_links',
  (a: ComparedArgs) => sql<{ page_id: number }>`
    with source as materialized (
      select input.page_id, decode(input.digest, 'hex') as digest, seen.version
      from jsonb_to_recordset(${a.pages}::jsonb) as input (page_id bigint, digest text)
      join jsonb_to_recordset(${a.versions}::jsonb) as seen (page_id bigint, version integer)
        on seen.page_id = input.page_id
    ), target as materialized (
      select input.*, ${namedSpace(a)} as target_space_id
      from ${linkRows(a)}
    ), known as (${knownTargets}),
    wanted as materialized (
      select found.*, ${linkKey} from known found
    ), missing as (
      select wanted.page_id from wanted ${storedLink(a)} where ${differs}
    ), missing_space_link as (
      select wanted.page_id from wanted where wanted.target_space_id <> ${a.spaceId}
      and not exists (select 1 from space_link where space_link.space_id = ${a.spaceId}
        and space_link.target_space_id = wanted.target_space_id)
    ), stored as (
      select link.page_id, count(*) as links from link
      where link.space_id = ${a.spaceId} and link.page_id = ${ofSource} group by link.page_id
    ), counted as (
      select page_id, count(*) as links from wanted group by page_id
    ), differing_files as (${differingFiles(a)})
    select source.page_id from source
    cross join lateral (
      select version, links_digest from page where page.space_id = ${a.spaceId} and page.id = source.page_id
        and page.deleted_at is null offset 0
    ) page
    left join stored on stored.page_id = source.page_id
    left join counted on counted.page_id = source.page_id
    where page.version <> source.version or page.links_digest is distinct from source.digest
      or coalesce(stored.links, 0) <> coalesce(counted.links, 0)
      or source.page_id in (select page_id from missing) or source.page_id in (select page_id from missing_space_link)
      or source.page_id in (select page_id from differing_files)`,
)

/** Inserts rows for addresses whose slugs are locked, unless such a space was created before. */
export const insertUnknown = write(
  'insert_unknown_addresses',
  (a: { targets: string }) => sql<unknown>`
    insert into unknown_address (slug, path)
    select distinct input.slug collate "C", input.path collate "C"
    from jsonb_to_recordset(${a.targets}::jsonb) as input (slug text, path text)
    where not exists (select 1 from space where space.slug = input.slug)
      and not exists (select 1 from former_slug where former_slug.slug = input.slug)
    order by 1, 2
    on conflict (slug, path) do nothing`,
)
