import { type RawBuilder, sql } from 'kysely'
import { type Db, queryValue } from './database.ts'
import { newestMigration } from './migrate.ts'

/**
 * The application_name of the connection that each node keeps open for notices. It distinguishes the releases that
 * run side by side during a rolling upgrade, by the newest schema that each knows.
 */
const NOTICES_NAME = 'recto notices'

export function noticesName(): string {
  return `${NOTICES_NAME} ${newestMigration()}`
}

/** Whether a node of another release is connected: a backfill to the rules of this release waits until it is gone. */
export function otherReleaseRuns(): RawBuilder<boolean> {
  return sql<boolean>`exists (
    select from pg_stat_activity where datname = current_database()
      and starts_with(application_name, ${NOTICES_NAME}) and application_name <> ${noticesName()})`
}

export async function isOtherReleaseRunning(db: Db): Promise<boolean> {
  return queryValue<boolean>(db, false)`select ${otherReleaseRuns()} as running`
}
