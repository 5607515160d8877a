import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  type CompiledQuery,
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
} from 'kysely'
import { filterCondition } from '../../packages/server/src/identity/scim/store-filter.ts'
import { countUsers, listUsers, USER_FILTERS } from '../../packages/server/src/identity/scim/store-users.ts'
import type { Db } from '../../packages/server/src/platform/database/database.ts'
import { type Nodes, startNodes } from '../support/nodes.ts'

const PEOPLE = 10_000

let nodes: Nodes
before(async () => {
  nodes = await startNodes()
  await nodes.query(`insert into principal (id, name, kind, role, email, created_at)
    select gen_random_uuid(), 'Person ' || n, 'human', 'member', 'p' || n || '@example.org', now() from generate_series(1, ${PEOPLE}) n`)
  await nodes.query(`insert into scim_user (principal_id, user_name, external_id, attributes, created_at, updated_at)
    select id, email, email, jsonb_build_object('emails', jsonb_build_array(jsonb_build_object('value', email))), now(), now()
    from principal where name like 'Person %5'`)
  await nodes.query(`insert into identity (issuer, subject, principal_id, email, created_at)
    select 'https://id.example.org', email, id, email, now() from principal where name like 'Person %'`)
})
after(() => nodes[Symbol.asyncDispose]())

const sent: CompiledQuery[] = []
const db: Db = new Kysely({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (introspected) => new PostgresIntrospector(introspected),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
  log: ({ query }) => {
    sent.push(query)
  },
})

/** The plans of the statements that count and list people by a filter. */
async function plansOf(filter: string): Promise<string> {
  const condition = filterCondition(filter, USER_FILTERS)
  await countUsers(db, condition)
  await listUsers(db, { condition, offset: 0, limit: 100 })
  const plans: string[] = []
  for (const query of sent.splice(0)) {
    const { rows } = await nodes.query(`explain ${query.sql}`, query.parameters)
    plans.push(...rows.map((row) => row['QUERY PLAN']))
  }
  return plans.join('\n')
}

test('people are found by an index, by name, address and id at the provider, before and after statistics', async () => {
  const filters = [
    'userName eq "P77@example.org"',
    'userName sw "P777"',
    'displayName eq "person 77"',
    'displayName sw "Person 777"',
    'externalId eq "p75@example.org"',
    'emails.value eq "P77@example.org"',
    'emails[type eq "work" and value eq "p75@example.org"]',
  ]
  for (const statistics of ['old', 'new']) {
    if (statistics === 'new') await nodes.query('analyze')
    for (const filter of filters) {
      const plans = await plansOf(filter)
      assert.doesNotMatch(
        plans,
        /Seq Scan on (principal|scim_user|identity) /,
        `${filter}, ${statistics} statistics:\n${plans}`,
      )
    }
  }
})
