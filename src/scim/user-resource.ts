import { type Json, type Resource, SCIM_PATH, USER_SCHEMA, withVersion } from './protocol.ts'
import type { UserRow } from './store-users.ts'

/** A person as SCIM sends it (RFC 7643, 4.1). */
export function userResource(row: UserRow, publicUrl: string): Resource {
  const base = publicUrl + SCIM_PATH
  const groups = row.groups.map(({ id, name }) => ({
    value: id,
    $ref: `${base}/Groups/${id}`,
    display: name,
    type: 'direct',
  }))
  const resource = {
    schemas: [USER_SCHEMA],
    id: row.id,
    ...(row.external_id !== null && { externalId: row.external_id }),
    ...storedUser(row),
    displayName: row.name,
    active: row.active,
    ...(groups.length > 0 && { groups }),
  }
  return withVersion(resource, {
    resourceType: 'User',
    created: row.created_at.toISOString(),
    lastModified: row.updated_at.toISOString(),
    location: `${base}/Users/${row.id}`,
  })
}

/** The attributes of a person that a patch changes. */
export function patchableUser(row: UserRow): Json {
  return {
    ...(row.external_id !== null && { externalId: row.external_id }),
    ...storedUser(row),
    active: row.active,
  }
}

/** Somebody whom nobody has provisioned yet has the e-mail address of the account. */
function storedUser({ user_name, attributes, name }: UserRow): Json {
  const { displayName, ...others } = attributes ?? {
    displayName: name,
    emails: [{ value: user_name, type: 'work', primary: true }],
  }
  return { userName: user_name, ...others, ...(displayName !== undefined && { displayName }) }
}
