import { type RawBuilder, sql } from 'kysely'

/** The name of the app through which something was written, from the id of its connection; null: there is none. */
export function viaName(column: string): RawBuilder<string | null> {
  const id = sql.ref(column)
  return sql`case when ${id} is not null
    then (select client_name from app_connection connection where connection.id = ${id}) end`
}

/** The connection of the running transaction, for updates; columns of new rows have it as their default. */
export const currentVia = sql<string | null>`nullif(current_setting('recto.via', true), '')::uuid`
