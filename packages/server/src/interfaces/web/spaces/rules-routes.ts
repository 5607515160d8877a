import { AppError } from '@recto/contract/errors.ts'
import { parseSlug } from '@recto/contract/page-address.ts'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { findEntries, type RuleEntry, readEntries } from '../../../content/spaces/rules/find-entries.ts'
import { findOwnRule, listSpaceRules, removeRule, setRule } from '../../../content/spaces/rules/rules.ts'
import { type ReadersChange, type Rule, setRuleSchema } from '../../../content/spaces/rules/schema.ts'
import type { Space } from '../../../content/spaces/schema.ts'
import { readSpace } from '../../../content/spaces/space.ts'
import { registerRoutes } from '../../../platform/http/endpoint.ts'
import { toStatus } from '../../../platform/http/problems/problem.ts'
import { pagingParameters, strictObject, text } from '../../../platform/http/schemas.ts'
import { doneNotice } from '../controls.ts'
import { checked, type Fields, readText } from '../fields.ts'
import { findText, type Html, type HtmlValue, html, joinList, msg, t } from '../html.ts'
import { actorName, badge, moment, pager, ROLE_NAMES, type Row, rows } from '../rows.ts'
import { type FailedForm, formRoute, orFormError, type Screen, screenRoute, whenDone } from '../screen.ts'
import { spaceFrame } from '../space-screen.ts'
import { removeRuleUrl, rulesUrl, ruleUrl } from '../urls.ts'
import { OWN_LIST, parseDraft, type RuleDraft, toDraft, toKey, toSetRule } from './rule-draft.ts'
import { type RuleListName, type RuleSearch, removeRuleScreen, ruleFormScreen } from './rule-form-view.ts'

const DONE: Readonly<Record<string, string>> = {
  saved: msg('The rule was saved.'),
  removed: msg('The rule was removed.'),
}
const listQuery = strictObject({ cursor: pagingParameters.cursor, done: Type.Optional(Type.String()) })
const folderQuery = strictObject({ folder: Type.Optional(text({ maxLength: 1024 })) })
const RULES_PER_SCREEN = 50

type SlugRequest = FastifyRequest<{ Params: { slug: string } }>

/** The folder rules of a space, and the form for one of them. */
export const ruleScreenRoutes = registerRoutes(
  screenRoute('/settings/:slug/rules', {
    query: listQuery,
    view: async ({ ctx, params, query: { cursor, done } }) => {
      const slug = parseSlug(params.slug)
      const paging = { limit: RULES_PER_SCREEN, ...(cursor !== undefined && { cursor }) }
      const rules = await listSpaceRules(ctx, { space: slug, ...paging })
      const space = await readSpace(ctx, slug)
      const empty = html`<p>${t('No folder has a rule: whoever reads the space reads all of it.')}</p>`
      return spaceFrame(space, 'Settings', {
        heading: t('Folder rules'),
        crumbs: [{ text: t('Folder rules'), href: rulesUrl(space.slug) }],
        actions: html`<p class="buttons"><a class="button primary"
  href="${ruleUrl(space.slug)}">${t('New rule')}</a></p>`,
        main: html`${doneNotice(findText(DONE, done))}
<p>${t(
          'A rule says who reads and who writes in a folder. The nearest rule counts. ' +
            'What it hides is nowhere to be seen for others: not in lists, search or links.',
        )}</p>
${rows(
  t('Folder rules'),
  rules.items.map((rule) => ruleRow(space, rule)),
  empty,
)}
${pager(rulesUrl(space.slug), {}, { cursor, nextCursor: rules.nextCursor })}`,
      })
    },
  }),
  screenRoute('/settings/:slug/rules/edit', {
    query: folderQuery,
    view: (request) => form(request, { folder: request.query.folder ?? '' }),
  }),
  formRoute('/settings/:slug/rules/edit', {
    act: async (request) => {
      const { ctx, params, body } = request
      const draft = parseDraft(body)
      if (readText(body, 'action') !== 'save') return check(request, draft)
      const address = { space: parseSlug(params.slug), prefix: draft.folder }
      const saving = setRule(ctx, address, checked(setRuleSchema, toSetRule(draft)), { dryRun: false })
      return whenDone(saving, rulesUrl(address.space), 'saved')
    },
    view: (request, failed) => form(request, { draft: parseDraft(request.body), failed }),
  }),
  screenRoute('/settings/:slug/rules/remove', {
    query: folderQuery,
    view: (request) => removal(request, request.query.folder ?? ''),
  }),
  formRoute('/settings/:slug/rules/remove', {
    act: ({ ctx, params, body }) => {
      const address = { space: parseSlug(params.slug), prefix: readText(body, 'folder') }
      return whenDone(removeRule(ctx, address, { dryRun: false }), rulesUrl(address.space), 'removed')
    },
    view: (request, failed) => removal(request, readText(request.body, 'folder'), failed),
  }),
)

/** The form with those who were to be added, and with what saving it changes once all of them are known. */
async function check(request: SlugRequest & { readonly body: Fields }, sentDraft: RuleDraft): Promise<Screen> {
  const { ctx, params, body } = request
  const space = parseSlug(params.slug)
  const searches = new Map<RuleListName, RuleSearch>()
  let draft = sentDraft
  for (const list of ['readers', 'writers', 'guests'] as const) {
    const name = readText(body, `find-${list}`).trim()
    if (name === '') continue
    const { one, ...others } = await findEntries(ctx, { space, text: name, onlyGuests: list === 'guests' })
    searches.set(list, { text: name, ...others, isAdded: one !== undefined })
    draft = withList(draft, list, one)
  }
  if ([...searches.values()].some(({ isAdded }) => !isAdded)) return form(request, { draft, searches })
  const plan = await orFormError(async () => {
    const input = checked(setRuleSchema, toSetRule(draft))
    return setRule(ctx, { space, prefix: draft.folder }, input, { dryRun: true })
  })
  if (plan instanceof AppError) {
    const screen = await form(request, { draft, failed: { fields: body, error: plan } })
    return { ...screen, status: toStatus(plan.code) }
  }
  return form(request, { draft: toDraft(plan.rule), readers: plan.readers })
}

/** The draft with a list of its own where somebody is added. */
function withList(draft: RuleDraft, list: RuleListName, one: RuleEntry | undefined): RuleDraft {
  if (list === 'guests') {
    const id = one?.principal?.id
    return id === undefined ? draft : { ...draft, guests: new Map([[id, 'viewer'], ...draft.guests]) }
  }
  const keys = one ? [...new Set([...draft[list], toKey(one)])] : draft[list]
  return { ...draft, [list]: keys, [list === 'readers' ? 'read' : 'write']: OWN_LIST }
}

async function form(
  { ctx, params }: SlugRequest,
  options: {
    readonly folder?: string
    readonly draft?: RuleDraft
    readonly searches?: ReadonlyMap<RuleListName, RuleSearch>
    readonly readers?: ReadersChange
    readonly failed?: FailedForm
  },
): Promise<Screen> {
  const slug = parseSlug(params.slug)
  const { draft: sentDraft, folder = sentDraft?.folder ?? '', searches, readers, failed } = options
  // A path that no folder has is an error of the form that was sent, and there is no rule.
  const address = { space: slug, prefix: folder }
  const rule = folder === '' || failed ? undefined : await findOwnRule(ctx, address)
  const draft = sentDraft ?? (rule ? toDraft(rule) : parseDraft({ folder }))
  const ids = [...draft.readers, ...draft.writers].map((key) => key.slice(key.indexOf(':') + 1))
  return ruleFormScreen({
    listed: await readEntries(ctx, slug, [...ids, ...draft.guests.keys()]),
    space: await readSpace(ctx, slug),
    draft,
    exists: rule !== undefined,
    searches,
    readers,
    failed,
  })
}

async function removal({ ctx, params }: SlugRequest, prefix: string, failed?: FailedForm): Promise<Screen> {
  const slug = parseSlug(params.slug)
  const { readers } = await removeRule(ctx, { space: slug, prefix }, { dryRun: true })
  return removeRuleScreen({ space: await readSpace(ctx, slug), rule: { prefix }, readers, failed })
}

const MAX_NAMES = 20

function ruleRow({ slug }: Space, { prefix, read, write, guests, updatedAt, updatedBy }: Rule): Row {
  const guestNames = guests.map(({ principal, role }) => `${principal.name} (${t(ROLE_NAMES[role])})`)
  const lists = { readers: renderList(read), writers: renderList(write), guests: renderNames(guestNames) }
  const access =
    guests.length > 0
      ? t('Read by {readers}; written by {writers}; guests: {guests}.', lists)
      : t('Read by {readers}; written by {writers}.', lists)
  return {
    title: html`<code dir="auto">${prefix}</code>`,
    badges: [read !== 'inherit' && badge(t('restricted'), 'info')],
    about: html`${access}
${t('Changed by {name} {when}', { name: actorName(updatedBy), when: moment(updatedAt) })}`,
    actions: html`<a class="button" href="${ruleUrl(slug, prefix)}"
      aria-label="${t('Change the rule of {folder}', { folder: prefix })}">${t('Change')}</a>
<a class="button" href="${removeRuleUrl(slug, prefix)}" aria-label="${t('Remove the rule of {folder}', {
      folder: prefix,
    })}">${t('Remove')}</a>`,
  }
}

function renderList(list: Rule['read']): HtmlValue {
  if (list === 'inherit') return t('the same as above')
  if (list.length === 0) return t('admins alone')
  return renderNames(
    list.map(({ principal, group }) => principal?.name ?? t('{name} (group)', { name: group?.name ?? '' })),
  )
}

function renderNames(names: readonly string[]): Html {
  return joinList(names.slice(0, MAX_NAMES), names.length - MAX_NAMES)
}
