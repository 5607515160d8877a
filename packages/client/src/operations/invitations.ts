import { route } from '../transport/address.ts'
import type { CallOptions, Connection } from '../transport/connection.ts'
import { jsonApi } from '../transport/json.ts'
import type { ListCall, Listing } from '../transport/paging.ts'
import type { Invitation, NewInvitation, SentInvitation, SpaceRole } from '../types.ts'

const SECRET = { notIdempotent: true }

/** Invitations into the organisation; for organisation admins. */
export function invitationMethods(connection: Connection) {
  const api = jsonApi(connection)
  const url = '/admin/invitations'
  return {
    /** Open invitations. */
    list: (options?: ListCall): Listing<Invitation> => api.list(url, options),
    /** Invites somebody; only this response contains the link. */
    create: (invitation: NewInvitation, call?: CallOptions): Promise<SentInvitation> =>
      api.post(url, invitation, call, SECRET),
    /** Makes a new link for an invitation; the old one stops working. */
    resend: (id: string, call?: CallOptions): Promise<SentInvitation> =>
      api.post(url + route`/${id}/resend`, undefined, call, SECRET),
    revoke: (id: string, call?: CallOptions): Promise<void> => api.delete(url + route`/${id}`, call),
  }
}

/** Invitations into a space; for admins of the space. */
export function spaceInvitationMethods(connection: Connection) {
  const api = jsonApi(connection)
  const url = (slug: string) => route`/spaces/${slug}/invitations`
  return {
    /** Open invitations. */
    list: (slug: string, options?: ListCall): Listing<Invitation> => api.list(url(slug), options),
    /** Invites somebody; only this response contains the link. */
    create: (slug: string, email: string, role: SpaceRole, call?: CallOptions): Promise<SentInvitation> =>
      api.post(url(slug), { email, role }, call, SECRET),
    /** Makes a new link for an invitation; the old one stops working. */
    resend: (slug: string, id: string, call?: CallOptions): Promise<SentInvitation> =>
      api.post(url(slug) + route`/${id}/resend`, undefined, call, SECRET),
    revoke: (slug: string, id: string, call?: CallOptions): Promise<void> =>
      api.delete(url(slug) + route`/${id}`, call),
  }
}
