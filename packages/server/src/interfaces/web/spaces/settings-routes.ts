import { AppError, inputError } from '@recto/contract/errors.ts'
import { parseSlug } from '@recto/contract/page-address.ts'
import type { FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import { isOrgAdmin } from '../../../access/caller.ts'
import type { Ctx } from '../../../access/ctx.ts'
import { listTrashedPages } from '../../../content/lifecycle/trash.ts'
import { readReindexing } from '../../../content/pages/backfills/reindex.ts'
import { pagesOfSpace } from '../../../content/pages/list.ts'
import { groupCandidates, memberCandidates } from '../../../content/spaces/candidates.ts'
import { deleteSpace } from '../../../content/spaces/delete.ts'
import { listRoles, removeRole, setRole } from '../../../content/spaces/members.ts'
import { listAccessRequests } from '../../../content/spaces/requests/requests.ts'
import { setMemberSchema, updateSpaceSchema } from '../../../content/spaces/schema.ts'
import { readOpens, readSpace, updateSpace } from '../../../content/spaces/space.ts'
import { snapshotSchema } from '../../../content/templates/schema.ts'
import { snapshotSpace } from '../../../content/templates/snapshot.ts'
import { registerRoutes } from '../../../platform/http/endpoint.ts'
import { pagingParameters, strictObject, text } from '../../../platform/http/schemas.ts'
import { errorNotice, textField } from '../controls.ts'
import { checked, type Fields, filled, readText, readTexts } from '../fields.ts'
import { CSRF_FIELD } from '../forms.ts'
import { findText, html, msg, t } from '../html.ts'
import type { Message } from '../message.ts'
import { ROLE_NAMES } from '../rows.ts'
import { type FailedForm, formRoute, type Screen, screenRoute, whenDone } from '../screen.ts'
import { spaceFrame } from '../space-screen.ts'
import { exportUrl, HOME, settingsUrl, templateUrl, withQuery } from '../urls.ts'
import { settingsScreen } from './settings-view.ts'

const DONE: Readonly<Record<string, string>> = {
  saved: msg('Saved.'),
  renamed: msg('The slug was changed. Links to the old slug redirect.'),
  member: msg('The role was changed.'),
  removed: msg('The member was removed.'),
  'group-removed': msg('The group was removed.'),
}
/** The other settings follow the members and groups, so their lists are short; the search finds each of them. */
const MEMBERS_PER_SCREEN = 20
const query = strictObject({
  cursor: pagingParameters.cursor,
  /** The cursor of the groups. */
  groups: pagingParameters.cursor,
  q: Type.Optional(text({ maxLength: 200 })),
  done: Type.Optional(Type.String()),
})
type SlugRequest = FastifyRequest<{ Params: { slug: string } }>

const view = (request: SlugRequest, failed: FailedForm) => settings(request, {}, failed)

/** Forms without the field leave it as it is. */
function switched(fields: Fields): {
  readonly shares?: boolean
  readonly proposals?: string
  readonly comments?: string
} {
  const value = readText(fields, 'shares')
  return { ...(value !== '' && { shares: value === 'on' }), ...filled(fields, 'proposals', 'comments') }
}

const aboutRoutes = registerRoutes(
  formRoute('/settings/:slug', {
    act: ({ ctx, params, body }) => {
      const slug = parseSlug(params.slug)
      const settingsInput = filled(body, 'name', 'visibility', 'defaultRole', 'language')
      const icon = readText(body, 'icon').trim() || null
      const isShared = settingsInput.visibility !== undefined
      const change = {
        ...settingsInput,
        ...(isShared && { accessRequests: readTexts(body, 'accessRequests').length > 0 }),
        ...(settingsInput.visibility === 'public' && { publicMetadata: readTexts(body, 'publicMetadata').length > 0 }),
        icon,
        description: readText(body, 'description'),
        ...switched(body),
      }
      return whenDone(updateSpace(ctx, slug, checked(updateSpaceSchema, change)), settingsUrl(slug), 'saved')
    },
    view,
  }),
  formRoute('/settings/:slug/slug', {
    act: async ({ ctx, params, body }) => {
      const change = checked(updateSpaceSchema, { slug: readText(body, 'slug').trim() })
      const space = await updateSpace(ctx, parseSlug(params.slug), change)
      return doneUrl(space.slug, 'renamed')
    },
    view,
  }),
)

const memberRoutes = registerRoutes(
  formRoute('/settings/:slug/members', {
    act: async ({ ctx, params, body }) => {
      const space = parseSlug(params.slug)
      const { role } = checked(setMemberSchema, { role: readText(body, 'role') })
      const { given } = await setRole(ctx, 'principal', { space, id: readText(body, 'principal'), role })
      const { id, name } = given.principal
      const message = {
        text: t('{name} is now {role, select, viewer {a viewer} editor {an editor} other {an admin}}.', { name, role }),
        undo: roleUndo(space, 'members', id, { before: readText(body, 'before'), now: role }),
      }
      return { url: `${doneUrl(space, 'member')}#members`, message }
    },
    view,
  }),
  formRoute('/settings/:slug/members/remove', {
    act: async ({ ctx, params, body }) => {
      const space = parseSlug(params.slug)
      const principal = readText(body, 'principal')
      await removeRole(ctx, 'principal', { space, id: principal })
      const message = {
        text: t('{name} is no longer a member.', { name: readText(body, 'name') }),
        undo: roleUndo(space, 'members', principal, { before: readText(body, 'before'), now: '' }),
      }
      return { url: `${doneUrl(space, 'removed')}#members`, message }
    },
    view,
  }),
)

const groupRoutes = registerRoutes(
  formRoute('/settings/:slug/groups', {
    act: async ({ ctx, params, body }) => {
      const space = parseSlug(params.slug)
      const { role } = checked(setMemberSchema, { role: readText(body, 'role') })
      const { given } = await setRole(ctx, 'group', { space, id: readText(body, 'group'), role })
      const { id, name } = given.group
      const message = {
        text: t('{name} now has the role {role}.', { name, role: t(ROLE_NAMES[role]) }),
        undo: roleUndo(space, 'groups', id, { before: readText(body, 'before'), now: role }),
      }
      return { url: `${doneUrl(space, 'member')}#groups`, message }
    },
    view,
  }),
  formRoute('/settings/:slug/groups/remove', {
    act: async ({ ctx, params, body }) => {
      const space = parseSlug(params.slug)
      const group = readText(body, 'group')
      await removeRole(ctx, 'group', { space, id: group })
      const message = {
        text: t('{name} no longer has a role here.', { name: readText(body, 'name') }),
        undo: roleUndo(space, 'groups', group, { before: readText(body, 'before'), now: '' }),
      }
      return { url: `${doneUrl(space, 'group-removed')}#groups`, message }
    },
    view,
  }),
)

/** Restores the former role of a principal or a group; without one the role is removed. */
function roleUndo(
  space: string,
  kind: 'members' | 'groups',
  id: string,
  { before, now }: { readonly before: string; readonly now: string },
): NonNullable<Message['undo']> {
  const field = kind === 'members' ? 'principal' : 'group'
  if (before !== '')
    return { form: { action: `${settingsUrl(space)}/${kind}`, fields: { [field]: id, role: before, before: now } } }
  const url = `/spaces/${space}/${kind}/${encodeURIComponent(id)}`
  return { requests: [{ method: 'DELETE', url }], url: `${settingsUrl(space)}#${kind}` }
}

const templateRoute = registerRoutes(
  formRoute('/settings/:slug/template', {
    act: async ({ ctx, params, body }) => {
      const {
        templateId: id,
        summary: description,
        ...given
      } = filled(body, 'templateId', 'title', 'summary', 'category')
      const space = parseSlug(params.slug)
      const input = { space, ...given, ...(id && { id }), ...(description && { description }) }
      const template = await snapshotSpace(ctx, checked(snapshotSchema, input))
      return withQuery(templateUrl({ source: 'org', id: template.id }), { done: 'saved' })
    },
    view,
  }),
)

const deletionRoutes = registerRoutes(
  screenRoute('/settings/:slug/delete', { view: (request) => deletion(request) }),
  formRoute('/settings/:slug/delete', {
    act: async (request) => {
      const { space, isEmpty } = await requireDeletable(request)
      confirmSlug(readText(request.body, 'confirm'), space.slug)
      await deleteSpace(request.ctx, { slug: space.slug, force: !isEmpty })
      return withQuery(HOME, { done: 'space-deleted' })
    },
    view: deletion,
  }),
)

/** The settings of a space, its members, and its deletion. */
export const settingsRoutes = registerRoutes(
  screenRoute('/settings/:slug', { query, view: (request) => settings(request, request.query) }),
  aboutRoutes,
  memberRoutes,
  groupRoutes,
  templateRoute,
  deletionRoutes,
)

function doneUrl(slug: string, done: string): string {
  return withQuery(settingsUrl(slug), { done })
}

async function settings(request: SlugRequest, options: Static<typeof query>, failed?: FailedForm): Promise<Screen> {
  const { ctx } = request
  const slug = parseSlug(request.params.slug)
  const space = await readSpace(ctx, slug)
  const { cursor, groups: groupsCursor, q } = options
  const isAdmin = space.role === 'admin'
  const list = { space: slug, limit: MEMBERS_PER_SCREEN }
  const isShared = space.kind === 'shared'
  const members = isShared
    ? await listRoles(ctx, 'principal', { ...list, ...(cursor !== undefined && { cursor }) })
    : undefined
  const groups = isShared
    ? await listRoles(ctx, 'group', { ...list, ...(groupsCursor !== undefined && { cursor: groupsCursor }) })
    : undefined
  const search = q && isAdmin ? await candidates(ctx, { space: slug, name: q }) : undefined
  return settingsScreen({
    space,
    members,
    cursor,
    groups,
    groupsCursor,
    search,
    mayDelete: isAdmin && (isOrgAdmin(ctx.actor) || (await isEmptySpace(request, slug))),
    mayPublish: ctx.config.publicSpaces && isOrgAdmin(ctx.actor),
    maySnapshot: isShared && isOrgAdmin(ctx.actor),
    opens: isAdmin && isShared ? await readOpens(ctx, slug) : null,
    requests: isAdmin && isShared ? (await listAccessRequests(ctx, { space: slug, limit: 200 })).items.length : 0,
    reindexing: isAdmin ? await readReindexing(ctx, slug) : undefined,
    done: findText(DONE, options.done),
    failed,
  })
}

async function candidates(ctx: Ctx, input: { readonly space: string; readonly name: string }) {
  const [people, groups] = await Promise.all([
    memberCandidates(ctx, { ...input, limit: 20 }),
    groupCandidates(ctx, input),
  ])
  return {
    name: input.name,
    found: people.items,
    groups: groups.items,
    more: people.nextCursor !== null || groups.more,
  }
}

/** Asks for confirmation before a space is deleted. */
async function deletion(request: SlugRequest, failed?: FailedForm): Promise<Screen> {
  const { space, isEmpty } = await requireDeletable(request)
  return spaceFrame(space, 'Settings', {
    title: `${t('Delete {name}?', { name: space.name })} · Recto`,
    crumbs: [{ text: t('Delete'), href: settingsUrl(space.slug, 'delete') }],
    heading: t('Delete the space {name}?', { name: space.name }),
    main: html`${errorNotice(failed)}
${
  isEmpty
    ? html`<p>${t('The space has no pages. Its settings and members are deleted.')}</p>`
    : html`<p>${t(
        '<strong>All its pages are deleted, including those in the trash</strong>, with their history, ' +
          'properties and links. This cannot be undone. You may want to <link>export it</link> first.',
        {
          strong: (text) => html`<strong>${text}</strong>`,
          link: (text) => html`<a href="${exportUrl(space.slug)}">${text}</a>`,
        },
      )}</p>`
}
<form class="form" method="post" action="${settingsUrl(space.slug, 'delete')}">
${CSRF_FIELD}
${textField('confirm', t('Type the slug to confirm'), {
  required: true,
  maxLength: 64,
  failed,
  help: t('It is `{slug}`.', { slug: space.slug }),
})}
<button type="submit" class="button danger">${t('Delete the space permanently')}</button>
</form>
<p><a href="${settingsUrl(space.slug)}">${t('Cancel')}</a></p>`,
  })
}

/** The space, if the caller may delete it. */
async function requireDeletable(request: SlugRequest) {
  const slug = parseSlug(request.params.slug)
  const space = await readSpace(request.ctx, slug)
  const isEmpty = await isEmptySpace(request, slug)
  if (space.role === 'admin' && (isEmpty || isOrgAdmin(request.ctx.actor))) return { space, isEmpty }
  throw new AppError(
    'forbidden',
    'Space admins can delete an empty space. Only organisation admins can delete a space with pages.',
  )
}

async function isEmptySpace({ ctx }: FastifyRequest, slug: string): Promise<boolean> {
  const [pages, trash] = await Promise.all([
    pagesOfSpace(ctx, { space: slug, limit: 1 }),
    listTrashedPages(ctx, { space: slug, limit: 1 }),
  ])
  return pages.items.length === 0 && trash.items.length === 0
}

function confirmSlug(typedSlug: string, slug: string): void {
  if (typedSlug.trim() === slug) return
  const detail = `The text that you entered is not the slug \`${slug}\`.`
  throw inputError('invalid_request', detail, '/confirm', 'is not the slug of the space')
}
