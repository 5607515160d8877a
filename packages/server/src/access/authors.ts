import { type RawBuilder, sql } from 'kysely'
import type { Actor, PrincipalKind } from './caller.ts'

/** The columns of who created something, and who changed it last. */
export interface AuthorColumns {
  readonly created_by: string
  readonly created_by_name: string
  readonly created_by_kind: PrincipalKind
  /** The app that acted for them. */
  readonly created_by_via: string | null
  readonly updated_by: string
  readonly updated_by_name: string
  readonly updated_by_kind: PrincipalKind
  readonly updated_by_via: string | null
}

/** The row `alias` of the table of principals as an `Actor`. */
export function actorJson(alias: string): RawBuilder<Actor> {
  const column = (name: string) => sql.ref(`${alias}.${name}`)
  return sql<Actor>`json_build_object('id', ${column('id')}, 'name', ${column('name')}, 'kind', ${column('kind')})`
}

export function toCreator(row: AuthorColumns): Actor {
  const { created_by: id, created_by_name: name, created_by_kind: kind, created_by_via: via } = row
  return { id, name, kind, ...(via !== null && { via }) }
}

export function toEditor(row: AuthorColumns): Actor {
  const { updated_by: id, updated_by_name: name, updated_by_kind: kind, updated_by_via: via } = row
  return { id, name, kind, ...(via !== null && { via }) }
}

/** The columns after a change by `actor`; `before` is absent where it created the row. */
export function authorColumns(actor: Actor, before?: AuthorColumns): AuthorColumns {
  const { id, name, kind } = actor
  const via = actor.via ?? null
  return {
    created_by: before ? before.created_by : id,
    created_by_name: before ? before.created_by_name : name,
    created_by_kind: before ? before.created_by_kind : kind,
    created_by_via: before ? before.created_by_via : via,
    updated_by: id,
    updated_by_name: name,
    updated_by_kind: kind,
    updated_by_via: via,
  }
}
