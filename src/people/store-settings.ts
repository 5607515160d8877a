import { sql } from 'kysely'
import type { Db } from '../database/database.ts'
import { read, write } from '../database/statement.ts'
import type { WriteDb } from '../database/transaction.ts'

/** What shows that a person took a first step. */
export interface StepEvidence {
  /** The steps that were recorded as done or dismissed. */
  readonly finished: string[]
  readonly invited: boolean
  /** Whether an app is connected, an agent has a key, or the person has a key that expires, as those of assistants do. */
  readonly connected: boolean
}

const readEvidence = read(
  'find_first_steps',
  (args: { principalId: string }) => sql<StepEvidence>`
    select coalesce((select finished_steps from person_setting where principal_id = ${args.principalId}), '{}') as finished,
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

/** The appearance of a person; null or no row if there is no choice. */
export const findAppearance = read(
  'find_appearance',
  (args: { principalId: string }) => sql<{ appearance: 'light' | 'dark' | null }>`
    select appearance from person_setting where principal_id = ${args.principalId}`,
)

/** Sets the appearance of a person; null for that of the system. */
export async function putAppearance(
  db: WriteDb,
  principalId: string,
  appearance: 'light' | 'dark' | null,
): Promise<void> {
  await sql`insert into person_setting (principal_id, appearance) values (${principalId}, ${appearance})
    on conflict (principal_id) do update set appearance = excluded.appearance`.execute(db)
}
