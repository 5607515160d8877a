import { inputError } from '@recto/contract/errors.ts'
import { parseSlug } from '@recto/contract/page-address.ts'
import type { FastifyRequest } from 'fastify'
import type { Ctx } from '../../../access/ctx.ts'
import { findEntries, type RuleEntry, readEntries } from '../../../content/spaces/rules/find-entries.ts'
import { type ReviewRules, type Space, updateSpaceSchema } from '../../../content/spaces/schema.ts'
import { readSpace, updateSpace } from '../../../content/spaces/space.ts'
import { registerRoutes } from '../../../platform/http/endpoint.ts'
import { checkBoxes, errorNotice, selectField, textField, translateChoices } from '../controls.ts'
import { checked, type Fields, readNumber, readText, readTexts } from '../fields.ts'
import { CSRF_FIELD } from '../forms.ts'
import { html, msg, t } from '../html.ts'
import { type FailedForm, formRoute, type Screen, screenRoute, whenDone } from '../screen.ts'
import { spaceFrame } from '../space-screen.ts'
import { settingsUrl } from '../urls.ts'

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

const DIRECT = [
  { value: 'direct', text: msg('Counts at once') },
  { value: 'required', text: msg('Is reviewed first') },
]
const APPROVALS = [0, 1, 2, 3, 4, 5].map((count) => ({ value: String(count), text: String(count) }))

/** The form for what a space reviews, and for what a merge needs. */
async function form({ ctx, params }: SlugRequest, failed?: FailedForm): Promise<Screen> {
  const space = await readSpace(ctx, parseSlug(params.slug))
  const entries = await readOwners(ctx, space)
  const { people, agents, keys, approvals, checks, owners = [] } = space.review
  const url = settingsUrl(space.slug, 'review')
  return spaceFrame(space, 'Settings', {
    heading: t('Reviews'),
    crumbs: [
      { text: t('Settings'), href: settingsUrl(space.slug) },
      { text: t('Reviews'), href: url },
    ],
    main: html`${errorNotice(failed)}
<form class="form" method="post" action="${url}">
${CSRF_FIELD}
${selectField('people', t('What people change'), {
  value: people,
  choices: translateChoices(DIRECT),
  failed,
  help: t('What is reviewed first is proposed in a change request, and counts when an editor merges it.'),
})}
${selectField('agents', t('What agents and apps change'), {
  value: agents,
  choices: translateChoices(DIRECT),
  failed,
  help: t('If it is reviewed first, a person who is signed in here merges it.'),
})}
${checkBoxes('keys', t('API keys of people'), {
  values: keys === 'agents' ? ['agents'] : [],
  choices: [{ value: 'agents', text: t('What is changed by them counts as changed by an agent') }],
  failed,
})}
${selectField('approvals', t('Approvals of each change'), {
  value: String(approvals),
  choices: APPROVALS,
  failed,
  help: t('Of editors who did not write it, before it is merged.'),
})}
${textField('owners', t('Owners'), {
  rows: 4,
  value: owners.map((owner) => toLine(owner, entries)).join('\n'),
  failed,
  help: t(
    'One line for each pattern of paths, as in a CODEOWNERS file, with names of people, agents and groups: `/hr/**: ' +
      'Eva, Human Resources`. One of them approves the changes there; the last line that matches counts.',
  ),
})}
${textField('checks', t('Checks'), {
  rows: 3,
  value: checks.join('\n'),
  failed,
  help: t('One name a line. Programs send the results; a merge needs all of them.'),
})}
<div class="buttons"><button type="submit" class="button primary">${t('Save')}</button>
<a class="button plain" href="${settingsUrl(space.slug)}">${t('Cancel')}</a></div>
</form>`,
  })
}

function toLine(
  { path, principals, groups }: NonNullable<ReviewRules['owners']>[number],
  entries: readonly RuleEntry[],
) {
  const names = entries.flatMap(({ principal, group }) => {
    if (principal && principals.includes(principal.id)) return principal.name
    return group && groups.includes(group.id) ? group.name : []
  })
  return `${path}: ${names.join(', ')}`
}
