import type { FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import {
  createGroup,
  deleteGroup,
  listGroups,
  readGroup,
  spacesOfGroup,
  updateGroup,
} from '../../../identity/groups/groups.ts'
import { addGroupMember, membersOfGroup, removeGroupMember } from '../../../identity/groups/members.ts'
import { createGroupSchema, updateGroupSchema } from '../../../identity/groups/schema.ts'
import { listPrincipals } from '../../../identity/principals/principals.ts'
import { registerRoutes } from '../../../platform/http/endpoint.ts'
import { pagingParameters, strictObject, text } from '../../../platform/http/schemas.ts'
import { checked, filled, readText } from '../fields.ts'
import { findText, msg } from '../html.ts'
import { type FailedForm, formRoute, type Screen, screenRoute, whenDone } from '../screen.ts'
import { adminUrl, withQuery } from '../urls.ts'
import { groupScreen, groupsScreen } from './groups-view.ts'

const field = Type.Optional(text({ maxLength: 200 }))
const paging = { cursor: pagingParameters.cursor, done: Type.Optional(Type.String()) }
const groupsQuery = strictObject({ name: field, ...paging })
const groupQuery = strictObject({ q: field, ...paging })
const DONE: Readonly<Record<string, string>> = {
  created: msg('Created. Add members, then give the group a role in the settings of a space.'),
  saved: msg('Saved.'),
  added: msg('Added to the group.'),
  removed: msg('Removed from the group.'),
  deleted: msg('The group was deleted.'),
}

type GroupRequest = FastifyRequest<{ Params: { id: string } }>

/** The groups of the organisation, and the members of each. */
export const groupScreenRoutes = registerRoutes(
  screenRoute('/manage/groups', { query: groupsQuery, view: (request) => groups(request, request.query) }),
  formRoute('/manage/groups', {
    act: async ({ ctx, body }) => {
      const { id } = await createGroup(ctx, checked(createGroupSchema, filled(body, 'name', 'description')))
      return withQuery(adminUrl('groups', id), { done: 'created' })
    },
    view: (request, failed) => groups(request, {}, failed),
  }),
  screenRoute('/manage/groups/:id', { query: groupQuery, view: (request) => group(request, request.query) }),
  formRoute('/manage/groups/:id', {
    act: ({ ctx, params: { id }, body }) => {
      const input = { ...filled(body, 'name'), description: readText(body, 'description') }
      const change = checked(updateGroupSchema, input)
      return whenDone(updateGroup(ctx, id, change), adminUrl('groups', id), 'saved')
    },
    view,
  }),
  formRoute('/manage/groups/:id/members', {
    act: ({ ctx, params: { id }, body }) => {
      const addition = addGroupMember(ctx, { id, principal: readText(body, 'principal') })
      return whenDone(addition, adminUrl('groups', id), 'added')
    },
    view,
  }),
  formRoute('/manage/groups/:id/members/remove', {
    act: ({ ctx, params: { id }, body }) => {
      const removal = removeGroupMember(ctx, { id, principal: readText(body, 'principal') })
      return whenDone(removal, adminUrl('groups', id), 'removed')
    },
    view,
  }),
  formRoute('/manage/groups/:id/delete', {
    act: ({ ctx, params: { id } }) => whenDone(deleteGroup(ctx, id), adminUrl('groups'), 'deleted'),
    view,
  }),
)

function view(request: GroupRequest, failed: FailedForm): Promise<Screen> {
  return group(request, {}, failed)
}

async function groups(
  request: FastifyRequest,
  { name, cursor, done }: Static<typeof groupsQuery>,
  failed?: FailedForm,
): Promise<Screen> {
  const foundGroups = await listGroups(request.ctx, { ...(name && { name }), ...(cursor && { cursor }) })
  return groupsScreen({ groups: foundGroups, name, cursor, done: findText(DONE, done), failed })
}

async function group(
  request: GroupRequest,
  { q, cursor, done }: Static<typeof groupQuery>,
  failed?: FailedForm,
): Promise<Screen> {
  const { ctx, params } = request
  const { id } = params
  const foundGroup = await readGroup(ctx, id)
  const [members, spaces] = await Promise.all([
    membersOfGroup(ctx, { id, limit: 100, ...(cursor && { cursor }) }),
    spacesOfGroup(ctx, { id, limit: 200 }),
  ])
  const search = q && { name: q, found: await listPrincipals(ctx, { name: q, disabled: false, limit: 20 }) }
  return groupScreen({
    group: foundGroup,
    members,
    spaces,
    cursor,
    ...(search && { search }),
    done: findText(DONE, done),
    failed,
  })
}
