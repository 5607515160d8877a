import { route } from './address.ts'
import { jsonApi } from './json.ts'
import type { ListCall, Listing } from './paging.ts'
import type { CallOptions, Connection } from './request.ts'
import type { Invitation, NewInvitation, SentInvitation, SpaceRole } from './types.ts'

/** The invitations of a space, for its admins; without it, those of the organisation. */
export interface OfSpace {
  readonly space?: string | undefined
}

/** Invitations of the organisation and of spaces. */
export interface InvitationMethods {
  /** Open invitations. */
  listInvitations(options?: ListCall & OfSpace): Listing<Invitation>
  /** Invites somebody into the organisation; only this response contains the link. For organisation admins. */
  invite(invitation: NewInvitation, call?: CallOptions): Promise<SentInvitation>
  /** Invites somebody into a space. For admins of the space. */
  inviteToSpace(space: string, email: string, role: SpaceRole, call?: CallOptions): Promise<SentInvitation>
  /** Makes a new link for an invitation; the old one stops working. */
  resendInvitation(id: string, options?: CallOptions & OfSpace): Promise<SentInvitation>
  revokeInvitation(id: string, options?: CallOptions & OfSpace): Promise<void>
}

/** The methods of invitations. */
export function invitationMethods(connection: Connection): InvitationMethods {
  const api = jsonApi(connection)
  const secret = { notIdempotent: true }
  const list = ({ space }: OfSpace) =>
    space === undefined ? '/admin/invitations' : route`/spaces/${space}/invitations`
  return {
    listInvitations: ({ space, ...options } = {}) => api.list(list({ space }), options),
    invite: (invitation, call) => api.post('/admin/invitations', invitation, call, secret),
    inviteToSpace: (space, email, role, call) => api.post(list({ space }), { email, role }, call, secret),
    resendInvitation: (id, { space, ...call } = {}) =>
      api.post(list({ space }) + route`/${id}/resend`, undefined, call, secret),
    revokeInvitation: (id, { space, ...call } = {}) => api.delete(list({ space }) + route`/${id}`, call),
  }
}
