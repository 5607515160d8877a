import { route } from '../transport/address.ts'
import type { CallOptions, Connection } from '../transport/connection.ts'
import { jsonApi } from '../transport/json.ts'
import type { ListCall, Listing } from '../transport/paging.ts'
import type { Invitation, NewInvitation, SentInvitation, SpaceRole } from '../types.ts'

/** Invitations into the organisation; for organisation admins. */
export interface InvitationMethods {
  /** Open invitations. */
  list(options?: ListCall): Listing<Invitation>
  /** Invites somebody; only this response contains the link. */
  create(invitation: NewInvitation, call?: CallOptions): Promise<SentInvitation>
  /** Makes a new link for an invitation; the old one stops working. */
  resend(id: string, call?: CallOptions): Promise<SentInvitation>
  revoke(id: string, call?: CallOptions): Promise<void>
}

/** Invitations into a space; for admins of the space. */
export interface SpaceInvitationMethods {
  /** Open invitations. */
  list(slug: string, options?: ListCall): Listing<Invitation>
  /** Invites somebody; only this response contains the link. */
  create(slug: string, email: string, role: SpaceRole, call?: CallOptions): Promise<SentInvitation>
  /** Makes a new link for an invitation; the old one stops working. */
  resend(slug: string, id: string, call?: CallOptions): Promise<SentInvitation>
  revoke(slug: string, id: string, call?: CallOptions): Promise<void>
}

const SECRET = { notIdempotent: true }

/** The methods of invitations. */
export function invitationMethods(connection: Connection): InvitationMethods {
  const api = jsonApi(connection)
  const url = '/admin/invitations'
  return {
    list: (options) => api.list(url, options),
    create: (invitation, call) => api.post(url, invitation, call, SECRET),
    resend: (id, call) => api.post(url + route`/${id}/resend`, undefined, call, SECRET),
    revoke: (id, call) => api.delete(url + route`/${id}`, call),
  }
}

/** The methods of the invitations of spaces. */
export function spaceInvitationMethods(connection: Connection): SpaceInvitationMethods {
  const api = jsonApi(connection)
  const url = (slug: string) => route`/spaces/${slug}/invitations`
  return {
    list: (slug, options) => api.list(url(slug), options),
    create: (slug, email, role, call) => api.post(url(slug), { email, role }, call, SECRET),
    resend: (slug, id, call) => api.post(url(slug) + route`/${id}/resend`, undefined, call, SECRET),
    revoke: (slug, id, call) => api.delete(url(slug) + route`/${id}`, call),
  }
}
