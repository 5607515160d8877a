/** The reference model: who may do what, by section 6 of the decisions, in as few lines as it takes. */

export interface Person {
  readonly id: string
  readonly kind: 'human' | 'agent'
  role: 'admin' | 'member'
  disabled: boolean
}

export interface Group {
  readonly id: string
  /** Whether an identity provider keeps its members. */
  readonly byScim: boolean
  readonly members: Set<Person>
}

export interface Space {
  /** A word that stands in its name, pages and metadata, and nowhere else. */
  readonly marker: string
  /** `personal` of a personal space. */
  slug: string
  /** A word that stands in its metadata alone, and tells nobody its name. */
  readonly property: string
  /** The slugs by which its page `page` links to the pages `page` of shared spaces, in the order of its body. */
  readonly linksTo: readonly string[]
  /** Only of a personal space. */
  readonly owner?: Person
  visibility: 'org' | 'private' | 'public'
  /** Whether callers without an account may know its metadata, where it is public. */
  publicMetadata: boolean
  /** Whether share links may show its pages; only of a shared space. */
  shares?: boolean
  defaultRole: 'viewer' | 'editor'
  readonly members: Map<Person, 'viewer' | 'editor' | 'admin'>
  readonly groups: Map<Group, 'viewer' | 'editor' | 'admin'>
  /** Only of a shared space: its folder `vault` and two change requests. */
  vault?: Vault
}

/** A folder that a rule hides. */
export interface Vault {
  /** A word of all that only its readers may know, and as long as `decoy`. */
  readonly secret: string
  readonly decoy: string
  /** Who reads it beside the admins of the space, as far as they read the space. */
  readonly readers: ReadonlySet<Person>
}

export interface Key {
  readonly secret: string
  readonly id: string
  readonly owner: Person
  /** Whether its owner made it, or is an agent: only then it opens the personal space. */
  readonly own: boolean
  readonly scope: 'read' | 'propose' | 'write' | 'admin'
  /** The only spaces that it opens. */
  readonly spaces: readonly Space[] | undefined
  revoked: boolean
}

const ROLES = [undefined, 'viewer', 'editor', 'admin']
const SCOPES = { read: 1, propose: 1, write: 2, admin: 3 }

/** 0 nobody, 1 viewer, 2 editor, 3 admin. */
export function rankOf(key: Key, space: Space): number {
  return (key.spaces && !key.spaces.includes(space)) || (space.owner && !key.own)
    ? 0
    : Math.min(SCOPES[key.scope], roleIn(key.owner, space))
}

/** Whether a caller reads something of a space; `undefined` is one without an account. */
export function sees(key: Key | undefined, space: Space): boolean {
  if (!key) return space.visibility === 'public'
  return isValid(key) && rankOf(key, space) > 0
}

/** Whether a caller may know the metadata of a space. */
export function seesMetadata(key: Key | undefined, space: Space): boolean {
  return sees(key, space) && (key !== undefined || space.publicMetadata)
}

/** Whether a caller reads the folder `vault` of a space. */
export function readsVault(key: Key | undefined, space: Space): boolean {
  if (!key || !isValid(key) || rankOf(key, space) === 0) return false
  return roleIn(key.owner, space) === 3 || space.vault?.readers.has(key.owner) === true
}

/** The rank of a person with all of their rights. */
export function roleIn(person: Person, space: Space): number {
  if (space.owner) return space.owner === person ? 3 : 0
  if (person.role === 'admin') return 3
  const editor = space.defaultRole === 'editor' && person.kind === 'human'
  const everybody = space.visibility === 'private' ? 0 : editor ? 2 : 1
  const groups = [...space.groups].filter(([group]) => group.members.has(person))
  const given = [space.members.get(person), ...groups.map(([, role]) => role)]
  return Math.max(everybody, ...given.map((role) => ROLES.indexOf(role)))
}

export function isValid(key: Key): boolean {
  return !key.revoked && !key.owner.disabled
}

export function isOrgAdmin(key: Key): boolean {
  return key.owner.role === 'admin' && isKeyMaker(key)
}

export function isKeyMaker(key: Key): boolean {
  return key.scope === 'admin' && key.spaces === undefined
}

export function isSpaceMaker(key: Key): boolean {
  return key.spaces === undefined && (key.scope === 'admin' || (key.scope === 'write' && key.owner.kind === 'human'))
}

/** The shared spaces, and the former slugs that redirect to one of them. */
export interface Spaces {
  readonly shared: readonly Space[]
  readonly former: ReadonlyMap<string, Space>
}

/** The space that a slug means: present slugs take precedence over former ones. */
export function spaceOf({ shared, former }: Spaces, slug: string): Space | undefined {
  return shared.find((space) => space.slug === slug) ?? former.get(slug)
}
