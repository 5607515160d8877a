import {
  type CheckContext,
  type CheckResult,
  type Finding,
  RESTORE,
  toMessage,
} from '../../platform/database/check/finding.ts'

/** A rule of the data that no constraint states. Its statement selects the keys of the rows that break it, as `id`. */
interface Rule {
  readonly check: 'references' | 'counters'
  readonly table: string
  readonly problem: string
  readonly advice: string
  readonly broken: string
}

const MAX_PER_RULE = 20
const UNSEEN = 'Nobody sees these rows: back up the database, then delete them.'
const CHANGE = 'Report it as a defect; the number itself is corrected by hand.'

/** Derived and dependent rows of pages. A move changes their space in the transaction of the page. */
const TABLES_OF_PAGES = [
  'revision',
  'page_metadata',
  'metadata_entry',
  'metadata_element',
  'metadata_event',
  'search_pending',
  'page_search',
  'link',
  'file_link',
]
/** Accounts are disabled and merged, never deleted. */
const AUTHORS = [
  ['page', 'created_by'],
  ['page', 'updated_by'],
  ['revision', 'created_by'],
  ['metadata_event', 'actor_id'],
] as const

const orphansOfPages = TABLES_OF_PAGES.map(
  (table): Rule => ({
    check: 'references',
    table,
    problem: 'the page of the row does not exist',
    advice: UNSEEN,
    broken: `select distinct format('space %s, page %s', t.space_id, t.page_id) as id from ${table} t
    left join page on page.space_id = t.space_id and page.id = t.page_id where page.id is null`,
  }),
)

const lostAuthors = AUTHORS.map(
  ([table, column]): Rule => ({
    check: 'references',
    table,
    problem: `the account in ${column} does not exist`,
    advice: RESTORE,
    broken: `select distinct t.${column}::text as id from ${table} t left join principal on principal.id = t.${column}
      where principal.id is null`,
  }),
)

const RULES: readonly Rule[] = [
  ...orphansOfPages,
  ...lostAuthors,
  {
    check: 'references',
    table: 'page',
    problem: 'its latest version, or the keyframe of the next one, does not exist',
    advice: 'Make another version of the page the latest one, or restore a backup.',
    broken: `select format('space %s, page %s', p.space_id, p.id) as id from page p
      where not exists (select from revision r where r.space_id = p.space_id and r.page_id = p.id
        and r.version = p.version and r.id = p.revision_id)
        or not exists (select from revision r where r.space_id = p.space_id and r.page_id = p.id
          and r.version = p.keyframe and r.base is null)`,
  },
  {
    check: 'references',
    table: 'file',
    problem: 'its latest version does not exist',
    advice: RESTORE,
    broken: `select format('space %s, file %s', f.space_id, f.id) as id from file f where not exists (
      select from file_version v where v.space_id = f.space_id and v.file_id = f.id and v.version = f.version)`,
  },
  ...(['page', 'file'] as const).flatMap((kind): Rule[] => [
    {
      check: 'references',
      table: `${kind}_address`,
      problem: `the ${kind} at the address does not exist`,
      advice: RESTORE,
      broken: `select format('space %s, %s', a.space_id, a.path) as id from ${kind}_address a left join ${kind} t
        on t.space_id = a.space_id and t.id = a.${kind}_id where a.${kind}_id is not null and t.id is null`,
    },
    {
      check: 'references',
      table: kind,
      problem: 'it is not in the trash, and at no address',
      advice: RESTORE,
      broken: `select format('space %s, ${kind} %s', t.space_id, t.id) as id from ${kind} t left join ${kind}_address a
        on a.space_id = t.space_id and a.path = t.path and a.${kind}_id = t.id
        where t.deleted_at is null and a.path is null`,
    },
  ]),
  ...['space_blob', 'space_template_file'].map(
    (table): Rule => ({
      check: 'references',
      table,
      problem: 'its blob does not exist, or has another size',
      advice: RESTORE,
      broken: `select encode(t.digest, 'hex') as id from ${table} t left join blob on blob.digest = t.digest
      where blob.digest is null or blob.size <> t.size`,
    }),
  ),
  {
    check: 'counters',
    table: 'file_version',
    problem: 'it has another size than its blob',
    advice: CHANGE,
    broken: `select v.id::text as id from file_version v join blob on blob.digest = v.digest where blob.size <> v.size`,
  },
  {
    check: 'references',
    table: 'blob_chunk',
    problem: 'neither a blob nor an upload has these bytes',
    advice: UNSEEN,
    broken: `select distinct c.upload_id::text as id from blob_chunk c
      where not exists (select from blob where upload_id = c.upload_id)
      and not exists (select from blob_upload u where u.id = c.upload_id)`,
  },
  {
    check: 'counters',
    table: 'profile_picture',
    problem: 'its bytes have another digest',
    advice: 'Upload the picture again.',
    broken: 'select principal_id::text as id from profile_picture where sha256(data) <> digest',
  },
  {
    check: 'counters',
    table: 'space_template',
    problem: 'page_count is not the number of its pages',
    advice: 'Save the template again.',
    broken: `select format('%s/%s', t.source, t.id) as id from space_template t where page_count <>
      (select count(*) from space_template_page p where p.source = t.source and p.template_id = t.id)`,
  },
  {
    check: 'counters',
    table: 'page_metadata',
    problem: 'last_seq is below the last entry of the history',
    advice: CHANGE,
    broken: `select format('space %s, page %s', m.space_id, m.page_id) as id from page_metadata m where m.last_seq <
      (select max(seq) from metadata_event e where e.space_id = m.space_id and e.page_id = m.page_id)`,
  },
  {
    check: 'counters',
    table: 'metadata_key',
    problem: 'the numbers of values of a key are not those of the pages',
    advice: CHANGE,
    broken: `with counted as (
        select space_id, key, sum(strings) as s, sum(numbers) as n, sum(booleans) as b, sum(arrays) as a,
          sum(objects) as o
        from metadata_key group by space_id, key
      ), actual as (
        select space_id, key collate "C" as key, count(*) filter (where jsonb_typeof(value) = 'string') as s,
          count(*) filter (where jsonb_typeof(value) = 'number') as n,
          count(*) filter (where jsonb_typeof(value) = 'boolean') as b,
          count(*) filter (where jsonb_typeof(value) = 'array') as a,
          count(*) filter (where jsonb_typeof(value) = 'object') as o
        from page_metadata cross join lateral jsonb_each(doc) where not in_trash group by space_id, key
      )
      select format('space %s, %s', coalesce(counted.space_id, actual.space_id),
        coalesce(counted.key, actual.key)) as id
      from counted full join actual on actual.space_id = counted.space_id and actual.key = counted.key
      where (coalesce(counted.s, 0), coalesce(counted.n, 0), coalesce(counted.b, 0), coalesce(counted.a, 0),
        coalesce(counted.o, 0))
        <> (coalesce(actual.s, 0), coalesce(actual.n, 0), coalesce(actual.b, 0), coalesce(actual.a, 0),
          coalesce(actual.o, 0))`,
  },
]

/** Checks references that no foreign key states, and columns that count other rows, each rule in one snapshot. */
export async function checkRules({ read, progress }: CheckContext): Promise<CheckResult> {
  const findings: Finding[] = []
  for (const [index, { broken, ...rule }] of RULES.entries()) {
    progress('references and counters', `${index + 1} of ${RULES.length}`)
    try {
      const rows = await read<{ id: string }>(`${broken} limit ${MAX_PER_RULE + 1}`)
      for (const { id } of rows.slice(0, MAX_PER_RULE)) findings.push({ ...rule, id })
      if (rows.length > MAX_PER_RULE) findings.push({ ...rule, id: 'and others' })
    } catch (error) {
      findings.push({ ...rule, id: '', problem: `cannot be read: ${toMessage(error)}`, advice: RESTORE })
    }
  }
  return { seen: `${RULES.length} rules of references and counters`, findings }
}
