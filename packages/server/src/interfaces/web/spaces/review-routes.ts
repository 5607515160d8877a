import { inputError } from '@recto/contract/errors.ts'
import { parseSlug } from '@recto/contract/page-address.ts'
import type { FastifyRequest } from 'fastify'
import type { Ctx } from '../../../access/ctx.ts'
import { findEntries, type RuleEntry, readEntries } from '../../../content/spaces/rules/find-entries.ts'
import { type ReviewRules, type Space, updateSpaceSchema } from '../../../content/spaces/schema.ts'
import { readSpace, updateSpace } from '../../../content/spaces/space.ts'
import { registerRoutes } from '../../../platform/http/endpoint.ts'
import { checked, type Fields, readNumber, readText, readTexts } from '../fields.ts'
import { type FailedForm, formRoute, type Screen, screenRoute, whenDone } from '../screen.ts'
import { settingsUrl } from '../urls.ts'
import { reviewScreen } from './review-view.ts'

type SlugRequest = FastifyRequest<{ Params: { slug: string } }>

/** The form for what a space reviews. */
export const reviewScreenRoutes = registerRoutes(
  screenRoute('/settings/:slug/review', { view: (request) => form(request) }),
  formRoute('/settings/:slug/review', {
    act: async ({ ctx, params, body }) => {
      const slug = parseSlug(params.slug)
      const space = await readSpace(ctx, slug)
      const review = {
        people: readText(body, 'people'),
        agents: readText(body, 'agents'),
        keys: readTexts(body, 'keys').length > 0 ? 'agents' : 'people',
        approvals: readNumber(body, 'approvals'),
        checks: listLines(body, 'checks'),
        owners: await findOwners(ctx, space, listLines(body, 'owners')),
      }
      return whenDone(updateSpace(ctx, slug, checked(updateSpaceSchema, { review })), settingsUrl(slug), 'saved')
    },
    view: (request, failed) => form(request, failed),
  }),
)

async function form({ ctx, params }: SlugRequest, failed?: FailedForm): Promise<Screen> {
  const space = await readSpace(ctx, parseSlug(params.slug))
  return reviewScreen({ space, entries: await readOwners(ctx, space), failed })
}

function readOwners(ctx: Ctx, { slug, review: { owners = [] } }: Space): Promise<RuleEntry[]> {
  return readEntries(
    ctx,
    slug,
    owners.flatMap(({ principals, groups }) => [...principals, ...groups]),
  )
}

/** The owners of lines such as `/hr/**: Eva, Human Resources`: names of present owners first, then of all. */
async function findOwners(ctx: Ctx, space: Space, lines: readonly string[]): Promise<ReviewRules['owners']> {
  const ownEntries = await readOwners(ctx, space)
  const owners: ReviewRules['owners'] = []
  for (const line of lines) {
    const at = line.lastIndexOf(':')
    const names = line.slice(at + 1).split(',').flatMap((name) => name.trim() || []) // biome-ignore format: one list
    if (at === -1 || names.length === 0) throw invalid(`The line \`${line}\` names no owner after a colon.`)
    const entries: RuleEntry[] = []
    for (const name of names) {
      const own = ownEntries.find(({ principal, group }) => (principal ?? group)?.name === name)
      const entry = own ?? (await findEntries(ctx, { space: space.slug, text: name, onlyGuests: false })).one
      if (!entry) throw invalid(`There is not exactly one person, agent or group with the name \`${name}\`.`)
      entries.push(entry)
    }
    const ids = (kind: 'principal' | 'group') => entries.flatMap((entry) => entry[kind]?.id ?? [])
    owners.push({ path: line.slice(0, at).trim(), principals: ids('principal'), groups: ids('group') })
  }
  return owners
}

function listLines(fields: Fields, name: string): string[] {
  return readText(fields, name).split('\n').flatMap((line) => line.trim() || []) // biome-ignore format: one list
}

function invalid(detail: string) {
  return inputError('invalid_request', detail, '/owners', detail)
}
