import { Type } from 'typebox'
import { requireOrgAdmin } from '../../../access/caller.ts'
import type { Space } from '../../../content/spaces/schema.ts'
import { listVisibleSpaces } from '../../../content/spaces/space.ts'
import { registerRoutes } from '../../../platform/http/endpoint.ts'
import { pagingParameters, strictObject, text } from '../../../platform/http/schemas.ts'
import { html, msg, t } from '../html.ts'
import { actorName, badge, moment, pager, type Row, rows } from '../rows.ts'
import { screenRoute } from '../screen.ts'
import { spaceFilter } from '../spaces/space-cards.ts'
import { ADMIN, adminUrl, browseUrl, GALLERY, NEW_SPACE, settingsUrl } from '../urls.ts'
import { webhookNotice } from '../webhook-notice.ts'
import { adminScreen } from './frame.ts'

const spacesQuery = strictObject({ cursor: pagingParameters.cursor, name: Type.Optional(text({ maxLength: 200 })) })

const PARTS = [
  [adminUrl('spaces'), msg('Spaces'), msg('All shared spaces, their visibility and members.')],
  [adminUrl('people'), msg('People and agents'), msg('Accounts, their roles and their API keys.')],
  [adminUrl('groups'), msg('Groups'), msg('People who have roles in spaces together.')],
  [adminUrl('invitations'), msg('Invitations'), msg('Invite people, and see who has not answered yet.')],
  [adminUrl('scim'), msg('SCIM'), msg('Connect an identity provider that keeps people and groups.')],
  [adminUrl('keys'), msg('API keys'), msg('All API keys, when they were last used, and how to revoke them.')],
  [adminUrl('webhooks'), msg('Webhooks'), msg('Subscriptions to changes, and their deliveries.')],
  [adminUrl('audit'), msg('Audit log'), msg('Who did what, when and from where.')],
  [adminUrl('jobs'), msg('Jobs'), msg('Imports, exports and moves that run, and cancelling them.')],
  [adminUrl('links'), msg('Links'), msg('Rebuild the link index.')],
] as const

/** The overview of the administration, and its list of spaces. */
export const adminScreenRoutes = registerRoutes(
  (app) =>
    app.get('/admin', { schema: { hide: true } }, async (request, reply) => {
      requireOrgAdmin(request.ctx)
      return reply.redirect(ADMIN, 303)
    }),
  screenRoute('/manage', {
    view: async ({ ctx }) => {
      requireOrgAdmin(ctx)
      return adminScreen({
        tab: 'Overview',
        heading: t('Administration'),
        main: html`${await webhookNotice(ctx)}<ul class="cards">${PARTS.map(
          ([href, name, about]) =>
            html`<li class="card"><h2><a class="cover" href="${href}">${t(name)}</a></h2><p>${t(about)}</p></li>\n`,
        )}</ul>`,
      })
    },
  }),
  screenRoute('/manage/spaces', {
    query: spacesQuery,
    view: async ({ ctx, query }) => {
      requireOrgAdmin(ctx)
      const spaces = await listVisibleSpaces(ctx, { limit: 100, ...query })
      const { name, cursor } = query
      const sharedSpaces = spaces.items.filter(({ kind }) => kind === 'shared')
      return adminScreen({
        tab: 'Spaces',
        heading: t('Spaces'),
        main: html`<p class="buttons">
<a class="button primary" href="${NEW_SPACE}">${t('New space')}</a> <a class="button"
  href="${GALLERY}">${t('From a template')}</a></p>
${spaceFilter(adminUrl('spaces'), { spaces, ...query })}
${
  (!name || sharedSpaces.length > 0) &&
  rows(
    t('Spaces'),
    sharedSpaces.map(spaceRow),
    html`<h2>${t('No spaces yet')}</h2><p>
${t('Spaces hold pages. Create the first one or start from a template.')}</p>`,
  )
}
${pager(adminUrl('spaces'), { name }, { cursor, nextCursor: spaces.nextCursor })}`,
      })
    },
  }),
)

function spaceRow(space: Space): Row {
  const { slug, name, visibility, defaultRole, createdAt, createdBy } = space
  return {
    title: html`<a href="${settingsUrl(slug)}">${name}</a>`,
    badges: [
      visibility === 'private' && badge(t('private'), 'warning'),
      visibility === 'org' && defaultRole === 'editor' && badge(t('people write'), 'info'),
    ],
    about: t('{space}, created {when} by {name}', { space: slug, when: moment(createdAt), name: actorName(createdBy) }),
    actions: html`<a class="button small" href="${browseUrl(slug)}"
      aria-label="${t('Pages of {name}', { name })}">${t('Pages')}</a>
<a class="button small" href="${settingsUrl(slug)}" aria-label="${t('Settings of {name}', {
      name,
    })}">${t('Settings')}</a>`,
  }
}
