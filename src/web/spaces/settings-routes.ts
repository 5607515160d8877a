import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { isOrgAdmin } from '../../access/caller.ts'
import { AppError } from '../../errors.ts'
import { parseSlug } from '../../http/page-address.ts'
import { pagingParameters } from '../../http/paging.ts'
import type { Server } from '../../http/server.ts'
import { text } from '../../http/text.ts'
import { trashOfSpace } from '../../lifecycle/trash.ts'
import { pagesOfSpace } from '../../pages/list.ts'
import { memberCandidates } from '../../spaces/candidates.ts'
import { deleteSpace } from '../../spaces/delete.ts'
import { membersOf, removeMember, setMember } from '../../spaces/members.ts'
import { type Space, setMemberSchema, updateSpaceSchema } from '../../spaces/schema.ts'
import { readSpace, updateSpace } from '../../spaces/space.ts'
import { snapshotSchema } from '../../templates/schema.ts'
import { snapshotSpace } from '../../templates/snapshot.ts'
import { csrfField } from '../forms.ts'
import {
  type Attempt,
  checked,
  fieldsSchema,
  filled,
  type Screen,
  sendScreen,
  submitForm,
  textOf,
} from '../screen.ts'
import { deleteSpaceScreen } from './delete-view.ts'
import { settingsScreen } from './settings-view.ts'

const params = Type.Object({ slug: Type.String() })
const forms = { schema: { hide: true, params, body: fieldsSchema } }
const DONE: Readonly<Record<string, string>> = {
  saved: 'Saved.',
  renamed: 'The slug was changed. Links to the old slug redirect.',
  member: 'The role was changed.',
  removed: 'The member was removed.',
}
const query = Type.Object(
  {
    cursor: pagingParameters.cursor,
    q: Type.Optional(text({ maxLength: 200 })),
    done: Type.Optional(Type.String()),
  },
  { additionalProperties: false },
)
type Query = { readonly cursor?: string; readonly q?: string; readonly done?: string }

/** What a space is and who is in it. */
export async function settingsRoutes(app: Server): Promise<void> {
  app.get('/settings/:slug', { schema: { hide: true, params, querystring: query } }, async (request, reply) =>
    sendScreen(reply, await settings(request, parseSlug(request.params.slug), request.query)),
  )

  app.post('/settings/:slug', forms, async (request, reply) => {
    const slug = parseSlug(request.params.slug)
    return submitForm(request, reply, {
      act: async () => {
        const given = filled(request.body, 'name', 'visibility', 'defaultRole')
        const change = { ...given, description: textOf(request.body, 'description') }
        await updateSpace(request.ctx, slug, checked(updateSpaceSchema, change))
        return `/settings/${slug}?done=saved`
      },
      again: (attempt) => settings(request, slug, {}, attempt),
    })
  })

  app.post('/settings/:slug/slug', forms, async (request, reply) => {
    const slug = parseSlug(request.params.slug)
    return submitForm(request, reply, {
      act: async () => {
        const to = textOf(request.body, 'slug').trim()
        const space = await updateSpace(request.ctx, slug, checked(updateSpaceSchema, { slug: to }))
        return `/settings/${space.slug}?done=renamed`
      },
      again: (attempt) => settings(request, slug, {}, attempt),
    })
  })

  app.post('/settings/:slug/members', forms, async (request, reply) => {
    const space = parseSlug(request.params.slug)
    return submitForm(request, reply, {
      act: async () => {
        const { role } = checked(setMemberSchema, { role: textOf(request.body, 'role') })
        await setMember(request.ctx, { space, principal: textOf(request.body, 'principal'), role })
        return `/settings/${space}?done=member#members`
      },
      again: (attempt) => settings(request, space, {}, attempt),
    })
  })

  app.post('/settings/:slug/members/remove', forms, async (request, reply) => {
    const space = parseSlug(request.params.slug)
    await removeMember(request.ctx, { space, principal: textOf(request.body, 'principal') })
    return reply.redirect(`/settings/${space}?done=removed#members`, 303)
  })

  app.post('/settings/:slug/template', forms, async (request, reply) => {
    const space = parseSlug(request.params.slug)
    return submitForm(request, reply, {
      act: async () => {
        const {
          templateId: id,
          summary: description,
          ...given
        } = filled(request.body, 'templateId', 'title', 'summary', 'category')
        const input = { space, ...given, ...(id && { id }), ...(description && { description }) }
        const template = await snapshotSpace(request.ctx, checked(snapshotSchema, input))
        return `/gallery/org/${template.id}?done=saved`
      },
      again: (attempt) => settings(request, space, {}, attempt),
    })
  })

  app.get('/settings/:slug/delete', { schema: { hide: true, params } }, async (request, reply) =>
    sendScreen(reply, await deletion(request, parseSlug(request.params.slug))),
  )

  app.post('/settings/:slug/delete', forms, async (request, reply) => {
    const slug = parseSlug(request.params.slug)
    return submitForm(request, reply, {
      act: async () => {
        const { isEmpty } = await requireDeletable(request, slug)
        confirmSlug(textOf(request.body, 'confirm'), slug)
        await deleteSpace(request.ctx, { slug, force: !isEmpty })
        return '/?done=space-deleted'
      },
      again: (attempt) => deletion(request, slug, attempt),
    })
  })
}

async function settings(
  request: FastifyRequest,
  slug: string,
  query: Query,
  attempt?: Attempt,
): Promise<Screen> {
  const { ctx } = request
  const space = await readSpace(ctx, slug)
  const { cursor, q } = query
  const isAdmin = space.role === 'admin'
  const paging = { limit: 100, ...(cursor !== undefined && { cursor }) }
  const members = space.kind === 'shared' ? await membersOf(ctx, { space: slug, ...paging }) : undefined
  const found = q && isAdmin ? await memberCandidates(ctx, { space: slug, name: q }) : undefined
  const done = DONE[query.done ?? '']
  return settingsScreen({
    space,
    csrf: csrfField(request),
    ...(members && { members }),
    ...(cursor !== undefined && { cursor }),
    ...(q && found && { search: { name: q, found: found.items, more: found.more } }),
    mayDelete: isAdmin && (isOrgAdmin(ctx.actor) || (await isEmptySpace(request, slug))),
    maySnapshot: space.kind === 'shared' && isOrgAdmin(ctx.actor),
    ...(done !== undefined && { done }),
    ...(attempt && { attempt }),
  })
}

async function deletion(request: FastifyRequest, slug: string, attempt?: Attempt): Promise<Screen> {
  const view = await requireDeletable(request, slug)
  return deleteSpaceScreen({ ...view, csrf: csrfField(request), ...(attempt && { attempt }) })
}

/** The space, where its deletion would not be refused. */
async function requireDeletable(
  request: FastifyRequest,
  slug: string,
): Promise<{ readonly space: Space; readonly isEmpty: boolean }> {
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
    trashOfSpace(ctx, { space: slug, limit: 1 }),
  ])
  return pages.items.length === 0 && trash.items.length === 0
}

function confirmSlug(typed: string, slug: string): void {
  if (typed.trim() === slug) return
  throw new AppError('invalid_request', `What you typed is not the slug \`${slug}\`.`, {
    issues: [{ path: '/confirm', message: 'is not the slug of the space' }],
  })
}
