import { sql } from 'kysely'
import type { Static } from 'typebox'
import { andAfter, type Keyset } from '../../platform/database/conditions.ts'
import { type Db, hasRows, queryRows, read, type WriteDb, write } from '../../platform/database/database.ts'
import type { RowFor } from '../../platform/database/rows.ts'
import type { Tx } from '../../platform/database/transaction.ts'
import { SESSION_IDLE } from '../credentials/find-caller.ts'
import type { sessionSchema } from './schema.ts'

/** An enabled principal that may sign in with a password. */
export interface PasswordRow {
  readonly id: string
  readonly email: string
  /** Null: none is set yet. */
  readonly hash: string | null
  /** Whether an identity provider signs them in. */
  readonly has_identity: boolean
  /** The language that they have chosen for screens and mails. */
  readonly language: string | null
}

/** The account of an e-mail address in its stored form. */
export const findByEmail = read(
  'find_password_by_email',
  (args: { email: string }) => sql<PasswordRow>`
    select principal.id, principal.email, password.hash,
      (select language from person_setting where principal_id = principal.id) as language,
      exists (select 1 from identity where identity.principal_id = principal.id) as has_identity
    from principal left join password on password.principal_id = principal.id
    where principal.email = ${args.email} and principal.disabled_at is null`,
)

/** The e-mail address and password hash of a principal. */
export const findOwnPassword = read(
  'find_password_by_principal',
  (args: { id: string }) => sql<
    Pick<PasswordRow, 'id' | 'hash'> & { readonly name: string; readonly email: string | null }
  >`
    select principal.id, principal.name, principal.email, password.hash
    from principal left join password on password.principal_id = principal.id
    where principal.id = ${args.id} and principal.disabled_at is null`,
)

/** Sets or replaces the password of a principal. */
export async function putPassword(
  tx: Pick<Tx, 'db'>,
  { principalId, hash, now }: { readonly principalId: string; readonly hash: string; readonly now: Date },
): Promise<void> {
  await sql`insert into password (principal_id, hash, changed_at) values (${principalId}, ${hash}, ${now})
    on conflict (principal_id) do update
    set hash = excluded.hash, changed_at = excluded.changed_at`.execute(tx.db)
}

/** Whether this hash is stored: its salt is random, so an earlier attempt of the same transaction stored it. */
export async function isStored(tx: Pick<Tx, 'db'>, principalId: string, hash: string): Promise<boolean> {
  return hasRows(tx.db)`
    select 1 from password where principal_id = ${principalId} and hash = ${hash}`
}

/** Waits until no other transaction adds a principal, and returns whether there is one. */
export async function lockPrincipals(tx: Pick<Tx, 'db'>): Promise<boolean> {
  await sql`lock table principal in exclusive mode`.execute(tx.db)
  return hasRows(tx.db)`select 1 from principal limit 1`
}

export type LinkPurpose = 'setup' | 'password'

interface NewLink {
  readonly hash: Buffer
  readonly purpose: LinkPurpose
  readonly principalId: string
  readonly now: Date
  readonly expiresAt: Date
}

/** A link that still works. */
interface LinkRow {
  readonly purpose: LinkPurpose
  readonly principal_id: string
  readonly name: string
  readonly email: string | null
  readonly expires_at: Date
}

/**
 * The link of the first start is for whoever comes first: it ends with the first use of any credential of an admin,
 * because the log, or a file, had it for everybody who can read there.
 */
const IS_OPEN = sql`(link.purpose <> 'setup' or not exists (select 1 from principal admin
  where admin.role = 'admin' and (admin.id <> link.principal_id
    or exists (select 1 from api_key where api_key.principal_id = admin.id and api_key.last_used_at is not null)
    or exists (select 1 from session where session.principal_id = admin.id)
    or exists (select 1 from password where password.principal_id = admin.id)
    or exists (select 1 from passkey where passkey.principal_id = admin.id)
    or exists (select 1 from identity where identity.principal_id = admin.id)
    or exists (select 1 from app_connection where app_connection.principal_id = admin.id))))`

/** The link of a token's hash. */
export const findLink = read(
  'find_one_time_link',
  (args: { hash: Buffer }) => sql<LinkRow>`
    select link.purpose, link.principal_id, principal.name, principal.email, link.expires_at
    from one_time_link link join principal on principal.id = link.principal_id
    where link.hash = ${args.hash} and link.expires_at > now() and principal.disabled_at is null and ${IS_OPEN}`,
)

/** Inserts a link, and deletes earlier ones of the same purpose and expired ones. */
export async function insertLink(tx: Pick<Tx, 'db'>, link: NewLink): Promise<void> {
  const { hash, purpose, principalId, now, expiresAt } = link
  await sql`delete from one_time_link
    where expires_at < now() or (principal_id = ${principalId} and purpose = ${purpose})`.execute(tx.db)
  await sql`insert into one_time_link (hash, purpose, principal_id, created_at, expires_at)
    values (${hash}, ${purpose}, ${principalId}, ${now}, ${expiresAt})`.execute(tx.db)
}

/** Consumes a link: of concurrent transactions one succeeds. False if it is not valid any more. */
export async function takeLink(tx: Pick<Tx, 'db'>, hash: Buffer): Promise<boolean> {
  return hasRows(tx.db)`
    delete from one_time_link link where hash = ${hash} and expires_at > now() and ${IS_OPEN} returning 1`
}

type SessionRow = RowFor<Omit<Static<typeof sessionSchema>, 'current'>>

/** The sessions of a principal that still work, the oldest first (index `session_principal`). */
export async function listSessions(
  db: Db,
  window: Keyset & { readonly principalId: string; readonly only: string | null | undefined },
): Promise<SessionRow[]> {
  return queryRows<SessionRow>(db)`
    select session.id, session.address, session.user_agent, session.key_id as api_key, session.created_at,
      session.last_seen_at,
      session.expires_at
    from session left join api_key on api_key.id = session.key_id
    where session.principal_id = ${window.principalId}
      and session.expires_at > now() and session.last_seen_at > now() - ${SESSION_IDLE}::interval
      and (session.key_id is null
        or (api_key.revoked_at is null and (api_key.expires_at is null or api_key.expires_at > now())))
      ${window.only === undefined ? sql`` : sql`and session.id = ${window.only}`} ${andAfter(sql`session.id`, window)}
    order by session.id limit ${window.limit}`
}

/** What shows that a person took a first step. */
interface StepEvidence {
  /** The steps that were recorded as done or dismissed. */
  readonly finished: string[]
  readonly invited: boolean
  /** Whether an app is connected, an agent has a key, or the person has one that expires, as those of assistants. */
  readonly connected: boolean
}

const readEvidence = read(
  'find_first_steps',
  (args: { principalId: string }) => sql<StepEvidence>`
    select coalesce((select finished_steps from person_setting where principal_id = ${args.principalId}),
      '{}') as finished,
      exists (select 1 from invitation where invited_by = ${args.principalId}) as invited,
      exists (select 1 from app_connection where principal_id = ${args.principalId})
        or exists (select 1 from api_key where principal_id = ${args.principalId} and expires_at is not null)
        or exists (select 1 from api_key join principal on principal.id = api_key.principal_id
          where principal.kind = 'agent' and api_key.created_by = ${args.principalId}) as connected`,
)

/** What a person has done so far. */
export async function findEvidence(db: Db, principalId: string): Promise<StepEvidence> {
  const [evidence] = await readEvidence.all(db, { principalId })
  if (!evidence) throw new Error('the statement has one row')
  return evidence
}

/** Records first steps as done or dismissed. */
export const finishSteps = write(
  'finish_first_steps',
  (args: { principalId: string; steps: readonly string[] }) => sql`
    insert into person_setting (principal_id, finished_steps) values (${args.principalId}, ${args.steps}::text[])
    on conflict (principal_id) do update
      set finished_steps = array(select distinct unnest(person_setting.finished_steps || excluded.finished_steps))`,
)

/** What a person has chosen for the screens; no row if nothing. A null appearance is that of the system. */
export const findScreenSettings = read(
  'find_screen_settings',
  (args: { principalId: string }) => sql<{
    appearance: 'light' | 'dark' | null
    hides_presence: boolean
    language: string | null
  }>`
    select appearance, hides_presence, language from person_setting where principal_id = ${args.principalId}`,
)

/** Sets what a person has chosen for the screens; null is what the system, or the browser, has. */
export async function putScreenSettings(
  db: WriteDb,
  principalId: string,
  settings: { readonly appearance: string | null; readonly hidesPresence: boolean; readonly language: string | null },
): Promise<void> {
  const { appearance, hidesPresence, language } = settings
  await sql`insert into person_setting (principal_id, appearance, hides_presence, language)
    values (${principalId}, ${appearance}, ${hidesPresence}, ${language}) on conflict (principal_id) do update
      set appearance = excluded.appearance, hides_presence = excluded.hides_presence,
        language = excluded.language`.execute(db)
}
