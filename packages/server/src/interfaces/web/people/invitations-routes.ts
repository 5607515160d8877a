import { inputError } from '@recto/contract/errors.ts'
import { parseSlug } from '@recto/contract/page-address.ts'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { Space } from '../../../content/spaces/schema.ts'
import { listVisibleSpaces, readSpace } from '../../../content/spaces/space.ts'
import { listGroups } from '../../../identity/groups/groups.ts'
import {
  invite,
  listInvitations,
  resendInvitation,
  revokeInvitation,
  toSpaceInvitation,
} from '../../../identity/people/invitations.ts'
import type { Mailer } from '../../../identity/people/mail.ts'
import { createInvitationSchema, inviteToSpaceSchema } from '../../../identity/people/schema.ts'
import { registerRoutes } from '../../../platform/http/endpoint.ts'
import { pagingParameters, strictObject, text } from '../../../platform/http/schemas.ts'
import { adminScreen } from '../admin/frame.ts'
import { parseOrgRole } from '../admin/people-view.ts'
import { checked, type Fields, filled, readText, readTexts } from '../fields.ts'
import { t } from '../html.ts'
import { formRoute, type Screen, type Shown, screenRoute, whenDone } from '../screen.ts'
import { MAX_LISTED_SPACES } from '../space-field.ts'
import { spaceFrame } from '../space-screen.ts'
import { adminUrl, settingsUrl } from '../urls.ts'
import { type InvitationsView, invitationsMain } from './invitations-view.ts'

const query = strictObject({
  cursor: pagingParameters.cursor,
  done: Type.Optional(Type.String()),
  folder: Type.Optional(text({ maxLength: 1024 })),
})
const REVOKED = 'revoked'

type ShownInvitations = Shown & Pick<InvitationsView, 'sent' | 'folder'>

const ofOrganisation = '/manage/invitations'
const ofSpace = '/settings/:slug/invitations'

/** Invitations of the organisation and of a space: two screens with the same list and form. */
export const invitationScreenRoutes = registerRoutes<{ readonly mailer: Mailer | undefined }>(
  screenRoute(ofOrganisation, { query, view: (request) => organisation(request, request.query) }),
  formRoute(ofOrganisation, {
    act: async (request, { mailer }) => {
      const input = checked(createInvitationSchema, organisationInput(request.body))
      return organisation(request, { sent: await invite(request.ctx, mailer, input) })
    },
    view: (request, failed) => organisation(request, { failed }),
  }),
  formRoute(`${ofOrganisation}/:id/resend`, {
    act: async (request, { mailer }) =>
      organisation(request, { sent: await resendInvitation(request.ctx, mailer, request.params) }),
    view: (request, failed) => organisation(request, { failed }),
  }),
  formRoute(`${ofOrganisation}/:id/revoke`, {
    act: ({ ctx, params }) => whenDone(revokeInvitation(ctx, params), adminUrl('invitations'), REVOKED),
    view: (request, failed) => organisation(request, { failed }),
  }),
  screenRoute(ofSpace, { query, view: (request) => inSpace(request, request.query) }),
  formRoute(ofSpace, {
    act: async (request, { mailer }) => {
      const input = checked(inviteToSpaceSchema, spaceInput(request.body))
      const space = parseSlug(request.params.slug)
      const sentInvitation = await invite(request.ctx, mailer, toSpaceInvitation(space, input))
      return inSpace(request, { sent: sentInvitation })
    },
    view: (request, failed) => inSpace(request, { failed }),
  }),
  formRoute(`${ofSpace}/:id/resend`, {
    act: async (request, { mailer }) => {
      const { id, slug } = request.params
      const resentInvitation = await resendInvitation(request.ctx, mailer, { id, space: parseSlug(slug) })
      return inSpace(request, { sent: resentInvitation })
    },
    view: (request, failed) => inSpace(request, { failed }),
  }),
  formRoute(`${ofSpace}/:id/revoke`, {
    act: ({ ctx, params: { id, slug } }) => {
      const revocation = revokeInvitation(ctx, { id, space: parseSlug(slug) })
      return whenDone(revocation, settingsUrl(slug, 'invitations'), REVOKED)
    },
    view: (request, failed) => inSpace(request, { failed }),
  }),
)

function organisationInput(body: Fields) {
  const { role: orgRole, ...folder } = filled(body, 'role', 'folder')
  const spaces = readTexts(body, 'spaces')
  if (folder.folder !== undefined && spaces.length !== 1) {
    throw inputError('invalid_request', 'A folder is in one space: choose this one alone.', '/spaces', 'must be one')
  }
  return {
    ...filled(body, 'email'),
    ...parseOrgRole(orgRole),
    spaces: spaces.map((space) => ({ space, role: readText(body, 'spaceRole'), ...folder })),
    groups: readTexts(body, 'groups'),
  }
}

function spaceInput(body: Fields) {
  const guest = readTexts(body, 'guest').length > 0
  return { ...filled(body, 'email', 'folder'), role: readText(body, 'spaceRole'), guest }
}

async function organisation(request: FastifyRequest, options: ShownInvitations): Promise<Screen> {
  const spaces = await listVisibleSpaces(request.ctx, { limit: MAX_LISTED_SPACES })
  const groups = await listGroups(request.ctx, { limit: 50 })
  const main = await renderMain(request, options, {
    url: adminUrl('invitations'),
    spaces: spaces.items.filter(({ kind }) => kind === 'shared'),
    groups: groups.items.filter(({ managedBy }) => managedBy === null),
  })
  return {
    ...adminScreen({ tab: 'People', heading: t('Invite people'), here: t('Invite people'), main, islands: ['copy'] }),
    ...(options.sent && { status: 201 }),
  }
}

async function inSpace(
  request: FastifyRequest<{ Params: { slug: string } }>,
  options: ShownInvitations,
): Promise<Screen> {
  const slug = parseSlug(request.params.slug)
  const main = await renderMain(request, options, { url: settingsUrl(slug, 'invitations'), space: slug })
  const space: Space = await readSpace(request.ctx, slug)
  return spaceFrame(space, 'Settings', {
    title: `${t('Invite people')} · ${space.name}`,
    crumbs: [{ text: t('Invite people'), href: settingsUrl(slug, 'invitations') }],
    islands: ['copy'],
    heading: t('Invite people to {space}', { space: space.name }),
    main,
    ...(options.sent && { status: 201 }),
  })
}

async function renderMain(
  request: FastifyRequest,
  { cursor, done, ...shown }: ShownInvitations,
  { space, ...where }: Pick<InvitationsView, 'url' | 'spaces' | 'groups'> & { readonly space?: string },
) {
  const paging = cursor === undefined ? {} : { cursor }
  return invitationsMain({
    ...where,
    invitations: await listInvitations(request.ctx, { ...paging, space }),
    cursor,
    done: done === REVOKED ? t('The invitation was revoked.') : undefined,
    ...shown,
  })
}
