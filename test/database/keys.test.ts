import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { type Nodes, startNodes } from '../support/nodes.ts'
import { ROOT } from '../support/process.ts'

// docs/scaling.md: what grows can be distributed by space.

/** Tables that grow with the pages and with work. Their rows belong to a space; space 0 is the organisation. */
const DISTRIBUTED = [
  'page_address',
  'page',
  'revision',
  'event',
  'page_metadata',
  'metadata_entry',
  'metadata_element',
  'metadata_key',
  'metadata_event',
  'link',
  'file_link',
  'space_link',
  'page_order',
  'favourite',
  'unsaved_text',
  'notification',
  'watch',
  'share_link',
  'change_request',
  'draft',
  'merged_revision',
  'request_reviewer',
  'request_review',
  'request_check',
  'thread',
  'comment',
  'page_search',
  'search_pending',
  'space_language',
  'webhook_delivery',
  'audit_entry',
  'file_address',
  'file',
  'file_version',
  'space_blob',
]
/** Tables that every server of a distributed database holds whole: few rows, seldom written. */
const REFERENCE = ['principal', 'space']
/** Tables that grow, and are distributed by a key of their own: bytes are stored once for all spaces. */
const OWN_KEY = ['blob', 'blob_chunk', 'blob_upload', 'blob_variant']
/** Tables that grow with the people and the spaces, or hold current work. */
const COORDINATOR = [
  'access_request',
  'api_key',
  'app_connection',
  'catalogue_fetch',
  'element_indexing',
  'folder_access',
  'folder_rule',
  'folder_rule_entry',
  'former_slug',
  'group_member',
  'idempotency',
  'identity',
  'imported_author',
  'invitation',
  'invitation_folder',
  'invitation_group',
  'invitation_space',
  'job',
  'lease',
  'link_rebuild',
  'mcp_session',
  'mcp_subscription',
  'notification_cursor',
  'oauth_client',
  'oauth_interaction',
  'oauth_token',
  'one_time_link',
  'passkey',
  'password',
  'person_setting',
  'profile_picture',
  'principal_group',
  'rate_lease',
  'reindexing',
  'retitling',
  'schema_migration',
  'scim_token',
  'scim_user',
  'session',
  'space_group',
  'space_member',
  'space_template',
  'space_template_file',
  'space_template_page',
  'timeline',
  'transaction_origin',
  'unknown_address',
  'unknown_space',
  'used_challenge',
  'webhook',
]

let nodes: Nodes
before(async () => {
  nodes = await startNodes()
})
after(() => nodes[Symbol.asyncDispose]())

interface Key {
  readonly name: string
  readonly columns: string[]
}

async function uniqueKeys(table: string): Promise<Key[]> {
  const { rows } = await nodes.query(
    `select c.relname as name, array_agg(a.attname::text order by k.ord) as columns
     from pg_index i join pg_class c on c.oid = i.indexrelid
     cross join lateral unnest(i.indkey) with ordinality as k (attnum, ord)
     left join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.attnum
     where i.indrelid = $1::regclass and i.indisunique group by c.relname`,
    [table],
  )
  return rows
}

test('every primary and unique key of the tables that grow begins with the space', async () => {
  for (const table of DISTRIBUTED) {
    const keys = await uniqueKeys(table)
    assert.ok(keys.length > 0, `${table} has no key`)
    for (const { name, columns } of keys) assert.equal(columns[0], 'space_id', `${name} of ${table}`)
  }
})

test('every foreign key of theirs has the space on both sides, or refers to a reference table', async () => {
  const { rows } = await nodes.query(
    `select conrelid::regclass::text as of, confrelid::regclass::text as to,
       array(select attname::text from unnest(conkey) with ordinality k (n, ord)
         join pg_attribute on attrelid = conrelid and attnum = n order by ord) as columns,
       array(select attname::text from unnest(confkey) with ordinality k (n, ord)
         join pg_attribute on attrelid = confrelid and attnum = n order by ord) as target
     from pg_constraint where contype = 'f' and conrelid = any ($1::regclass[])`,
    [DISTRIBUTED],
  )
  assert.ok(rows.length >= 10)
  for (const { of, to, columns, target } of rows) {
    if (REFERENCE.includes(to)) continue
    assert.deepEqual([columns[0], target[0]], ['space_id', 'space_id'], `${of} to ${to}`)
  }
})

test('no other table has a foreign key to a distributed table', async () => {
  const { rows } = await nodes.query(
    `select conrelid::regclass::text as of, confrelid::regclass::text as to from pg_constraint
     where contype = 'f' and confrelid = any ($1::regclass[]) and conrelid <> all ($1::regclass[])`,
    [DISTRIBUTED],
  )
  assert.deepEqual(rows, [])
})

test('every table of the schema is known here, and docs/scaling.md names those that grow', async () => {
  const { rows } = await nodes.query(
    `select relname as name from pg_class where relkind in ('r', 'p') and relnamespace = 'public'::regnamespace`,
  )
  const tables = rows.map(({ name }) => name)
  const known = [...DISTRIBUTED, ...OWN_KEY, ...REFERENCE, ...COORDINATOR]
  assert.deepEqual(tables.sort(), known.sort(), 'say here and in docs/scaling.md whether it grows')
  const text = readFileSync(join(ROOT, 'docs/scaling.md'), 'utf8')
  for (const name of [...DISTRIBUTED, ...OWN_KEY, ...REFERENCE]) assert.ok(text.includes(`\`${name}\``), name)
})
