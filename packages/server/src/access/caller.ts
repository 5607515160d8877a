import { AppError } from '@recto/contract/errors.ts'

/** The space roles in ascending order. */
const ROLES = ['viewer', 'editor', 'admin'] as const
export type Role = (typeof ROLES)[number]

/** What a credential allows, the narrowest first: each scope includes the ones before it. */
export const SCOPES = ['read', 'propose', 'write', 'admin'] as const
export type Scope = (typeof SCOPES)[number]

export type PrincipalKind = 'human' | 'agent'
export type OrgRole = 'admin' | 'member'

/** The author of a change, as in responses. */
export interface Actor {
  readonly id: string
  readonly name: string
  readonly kind: PrincipalKind
  /** The name of the app that acted for the principal. */
  readonly via?: string
}

/** The app that acts for a principal, where a request came with its access token (OAuth). */
export interface CallerApp {
  readonly connectionId: string
  /** The SHA-256 of the access token, in hexadecimal. */
  readonly tokenHash: string
  readonly name: string
  /** The resource of the token (RFC 8707): MCP alone, or the whole API. */
  readonly audience: 'mcp' | 'api'
  /** The widest scope that the person was asked for, and may have refused. */
  readonly requestedScope: Scope
}

/** The principal of a request, with what its credential allows. */
export interface Caller extends Actor {
  readonly orgRole: OrgRole
  /** Whether only the spaces and folders that name them, and public ones, are theirs. */
  readonly guest: boolean
  /** The widest scope of the credential; each includes the ones before it. */
  readonly scope: Scope
  /** The only spaces of the credential; null: all that the principal may access. */
  readonly spaceIds: readonly number[] | null
  /** Whether it gives access to the personal space: not a key that another made for a person. */
  readonly personal: boolean
  /** The key of the request; null where there is none. */
  readonly keyId: string | null
  /** The language that the person has chosen for the screens; absent: that of the browser. */
  readonly language?: string
  /** The browser session of the request, where it came with a cookie. */
  readonly sessionId?: string
  /** The app of the request, which acts for the principal. */
  readonly app?: CallerApp
  /** The address (or network) of a caller without an account, who reads public spaces; absent for all others. */
  readonly visitor?: string
  /** Whether what they write now has been reviewed: it is merged. */
  readonly merges?: true
}

/** The id of all callers without an account: no principal has it. */
const VISITOR_ID = '00000000-0000-0000-0000-000000000000'

/** A caller without an account: a guest whom nothing names. */
export function toVisitor(address: string): Caller {
  return {
    id: VISITOR_ID,
    name: 'Visitor',
    kind: 'human',
    orgRole: 'member',
    guest: true,
    scope: 'read',
    spaceIds: null,
    personal: false,
    keyId: null,
    visitor: address,
  }
}

/**
 * 1 for a viewer, 2 for an editor, 3 for an admin; 0 for no access. At a place of a space that reviews what the caller
 * changes there, it is a quarter more of itself: no whole number.
 */
export type Rank = number

/** What work needs at a place: an organizer is an editor for what no review is about, such as the order of pages. */
export type NeededRole = Role | 'organizer'

export function toRank(role: NeededRole): Rank {
  return ROLES.indexOf(role === 'organizer' ? 'editor' : role) + 1
}

/** The role of a rank, or undefined for no access. */
export function toRole(rank: Rank): Role | undefined {
  return ROLES[Math.floor(rank) - 1]
}

/** Whether what needs a role is reviewed where the space reviews changes. */
export function needsReview(role: NeededRole): boolean {
  return role === 'editor' || role === 'admin'
}

/** Whether a rank is enough for a role, and nothing has to be reviewed first. */
export function reaches(rank: Rank, role: NeededRole): boolean {
  return rank >= toRank(role) && !(needsReview(role) && !Number.isInteger(rank))
}

/** The highest role that a credential with a scope can use: who only proposes changes a space no more than a reader. */
const HIGHEST_ROLES: Readonly<Record<Scope, Role>> = {
  read: 'viewer',
  propose: 'viewer',
  write: 'editor',
  admin: 'admin',
}

/** The maximum rank with a scope. */
export function scopeRank(scope: Scope): Rank {
  return toRank(HIGHEST_ROLES[scope])
}

export function includesScope(scope: Scope, needed: Scope): boolean {
  return SCOPES.indexOf(scope) >= SCOPES.indexOf(needed)
}

/**
 * Throws `not_found` if the caller does not see a space or a path in it, `forbidden` for a lower role, and
 * `review_required` if the role is enough for a proposal. Whether space or path is hidden is not told.
 */
export function requireRank<S extends { readonly rank: Rank }>(
  space: S | undefined,
  slug: string,
  role: NeededRole,
  path?: string,
): S {
  if (!space || space.rank < 1) {
    const place = path === undefined ? `no space \`${slug}\`` : `nothing at \`${path}\` in a space \`${slug}\``
    throw new AppError('not_found', `There is ${place} that you can see.`)
  }
  if (reaches(space.rank, role)) return space
  if (space.rank >= toRank(role)) throw reviewRequired(slug)
  const detail = `This needs the role ${role} in the space \`${slug}\`, and a key whose scope allows it.`
  throw new AppError('forbidden', detail)
}

/** What a direct write is told where a review comes first. */
function reviewRequired(slug: string): AppError {
  const detail = `The space \`${slug}\` reviews such changes before they count: propose this one. Nothing was changed.`
  const text = 'Propose the change: name a change request with `changeRequest`, or `new` with a title.'
  return new AppError('review_required', detail, { members: { nextSteps: [{ text }] } })
}

export function widest(scopes: readonly Scope[]): Scope {
  return SCOPES.findLast((scope) => scopes.includes(scope)) ?? 'read'
}

/** Whether the caller may administer the organisation: by role, by scope, and not by a key for some spaces only. */
export function isOrgAdmin(caller: Caller): boolean {
  return caller.orgRole === 'admin' && caller.scope === 'admin' && caller.spaceIds === null
}

/** Throws `forbidden` unless the caller may administer the organisation; that the endpoint exists is not secret. */
export function requireOrgAdmin(ctx: { readonly actor: Caller }): void {
  if (isOrgAdmin(ctx.actor)) return
  const detail = 'This needs an organisation admin, and a key for all spaces with the scope admin.'
  throw new AppError('forbidden', detail)
}

/** Whether the credential allows all that its principal may do: only such a one makes others, or ways to sign in. */
export function isUnlimited({ scope, spaceIds }: Caller): boolean {
  return scope === 'admin' && spaceIds === null
}

/** Throws `forbidden` unless the credential is unlimited; `what` begins the sentence. */
export function requireUnlimited(actor: Caller, what: string): void {
  if (isUnlimited(actor)) return
  throw new AppError('forbidden', `${what} needs a key for all spaces with the scope admin.`)
}

/** Throws `forbidden` unless a person with an unlimited credential asks: agents bring in nobody. */
export function requireUnlimitedPerson({ actor }: { readonly actor: Caller }, what: string): void {
  requireUnlimited(actor, what)
  if (actor.kind === 'human') return
  throw new AppError('forbidden', `${what} is for people only, not for agents.`)
}

/** Whether a person asks in person: signed in with a browser, with no key and no app. */
export function isInPerson({ kind, sessionId, app }: Caller): boolean {
  return kind === 'human' && sessionId !== undefined && app === undefined
}

/** The scopes that come with the widest of some scopes: each includes the ones before it. */
export function scopesUpTo(scope: Scope): Scope[] {
  return SCOPES.slice(0, SCOPES.indexOf(scope) + 1)
}
