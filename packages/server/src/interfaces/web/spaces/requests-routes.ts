import { parseSlug } from '@recto/contract/page-address.ts'
import { pageUrl } from '@recto/contract/page-url.ts'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import {
  approveRequest,
  askForAccess,
  declineRequest,
  listAccessRequests,
} from '../../../content/spaces/requests/requests.ts'
import { type AccessRequest, approveSchema, askSchema } from '../../../content/spaces/requests/schema.ts'
import { readSpace } from '../../../content/spaces/space.ts'
import { registerRoutes } from '../../../platform/http/endpoint.ts'
import { pagingParameters, strictObject } from '../../../platform/http/schemas.ts'
import { buttonForm, doneNotice, errorNotice } from '../controls.ts'
import { checked, filled, readText } from '../fields.ts'
import { CSRF_FIELD } from '../forms.ts'
import { findText, type Html, html, msg, t } from '../html.ts'
import { badge, moment, pager, personName, type Row, rows } from '../rows.ts'
import { formRoute, type Screen, type Shown, screenRoute, whenDone } from '../screen.ts'
import { spaceFrame } from '../space-screen.ts'
import { ASK, HOME, settingsUrl } from '../urls.ts'
import { roleChoices } from './role-form.ts'

const DONE: Readonly<Record<string, string>> = { approved: msg('They have access now.'), declined: msg('Declined.') }
const query = strictObject({ cursor: pagingParameters.cursor, done: Type.Optional(Type.String()) })

type SlugRequest = FastifyRequest<{ Params: { slug: string } }>

/** The form that asks for access, and the requests to a space. */
export const requestScreenRoutes = registerRoutes(
  formRoute(ASK, {
    act: ({ ctx, body }) => {
      const input = { space: readText(body, 'space'), ...filled(body, 'path', 'note') }
      return whenDone(askForAccess(ctx, checked(askSchema, input)), HOME, 'asked')
    },
  }),
  screenRoute('/settings/:slug/requests', {
    query,
    view: (request) => list(request, { ...request.query, done: findText(DONE, request.query.done) }),
  }),
  formRoute('/settings/:slug/requests/:id/approve', {
    act: ({ ctx, params: { slug, id }, body }) => {
      const approval = checked(approveSchema, filled(body, 'role', 'folder'))
      const work = approveRequest(ctx, { space: parseSlug(slug), id }, approval)
      return whenDone(work, settingsUrl(slug, 'requests'), 'approved')
    },
    view: (request, failed) => list(request, { failed }),
  }),
  formRoute('/settings/:slug/requests/:id/decline', {
    act: ({ ctx, params: { slug, id } }) =>
      whenDone(declineRequest(ctx, { space: parseSlug(slug), id }), settingsUrl(slug, 'requests'), 'declined'),
    view: (request, failed) => list(request, { failed }),
  }),
)

/** The requests for access to a space. */
async function list({ ctx, params }: SlugRequest, { cursor, done, failed }: Shown): Promise<Screen> {
  const slug = parseSlug(params.slug)
  const requests = await listAccessRequests(ctx, { space: slug, ...(cursor !== undefined && { cursor }) })
  const url = settingsUrl(slug, 'requests')
  const list = requests.items.map((request) => requestRow(slug, request))
  return spaceFrame(await readSpace(ctx, slug), 'Settings', {
    crumbs: [
      { text: t('Settings'), href: settingsUrl(slug) },
      { text: t('Requests for access'), href: url },
    ],
    heading: t('Requests for access'),
    main: html`${doneNotice(done)}
${errorNotice(failed)}
${rows(t('Requests for access'), list, html`<p>${t('Nobody asks for access.')}</p>`)}
${pager(url, {}, { cursor, nextCursor: requests.nextCursor })}`,
  })
}

function requestRow(space: string, { id, principal, guest, path, folder, note, createdAt }: AccessRequest): Row {
  const { name } = principal
  const when = moment(createdAt)
  const about =
    path === null
      ? t('asks for the space {when}', { when })
      : t('asks for {page} {when}', { page: html`<a href="${pageUrl(space, path)}"><bdi>${path}</bdi></a>`, when })
  const action = (verb: 'approve' | 'decline') => settingsUrl(space, 'requests', id, verb)
  return {
    title: personName(principal),
    badges: [guest && badge(t('guest'), 'info')],
    about: note === '' ? about : t('{request}: “{note}”', { request: about, note: html`<bdi>${note}</bdi>` }),
    actions: html`${approveForm(action('approve'), { name, folder: folder ?? (guest && path ? path : '') })}
${buttonForm(action('decline'), t('Decline'), { label: t('Decline the request of {name}', { name }) })}`,
  }
}

function approveForm(action: string, { name, folder }: { readonly name: string; readonly folder: string }): Html {
  return html`<form class="inline" method="post" action="${action}">
${CSRF_FIELD}
${roleChoices(name, 'viewer')}
<input class="input" dir="auto" name="folder" value="${folder}" maxlength="1024"
  aria-label="${t('Only in this folder, for {name}', { name })}" placeholder="${t('Only in this folder')}">
<button type="submit" class="button" aria-label="${t('Approve the request of {name}', {
    name,
  })}">${t('Approve')}</button>
</form>`
}
