import type { RuleEntry } from '../../../content/spaces/rules/find-entries.ts'
import type { ReadersChange, Rule } from '../../../content/spaces/rules/schema.ts'
import type { Space } from '../../../content/spaces/schema.ts'
import { checkBoxes, errorNotice, hidden, radioButtons, selectField, textField } from '../controls.ts'
import { CSRF_FIELD } from '../forms.ts'
import { type Html, html, joinList, msg, t } from '../html.ts'
import type { FailedForm, Screen } from '../screen.ts'
import { spaceFrame } from '../space-screen.ts'
import { inviteGuestUrl, removeRuleUrl, rulesUrl, ruleUrl } from '../urls.ts'
import { draftFields, OWN_LIST, type RuleDraft, toKey } from './rule-draft.ts'

export type RuleListName = 'readers' | 'writers' | 'guests'

/** The result of a search for somebody to add. */
export interface RuleSearch {
  readonly text: string
  readonly items: readonly RuleEntry[]
  readonly more: boolean
  readonly isAdded: boolean
}

export interface RuleFormView {
  readonly space: Space
  readonly draft: RuleDraft
  /** Whether the folder has a rule: then its path is fixed. */
  readonly exists: boolean
  /** Everybody on the lists of the draft. */
  readonly listed: readonly RuleEntry[]
  readonly searches?: ReadonlyMap<RuleListName, RuleSearch> | undefined
  /** What saving changes, if it was checked. */
  readonly readers?: ReadersChange | undefined
  readonly failed?: FailedForm | undefined
}

const MAX_NAMES = 20

/** The form for the rule of one folder. It is saved after it has said who gains and who loses. */
export function ruleFormScreen(view: RuleFormView): Screen {
  const { space, draft, exists, failed } = view
  return ruleFrame(
    space,
    exists ? draft.folder : t('New rule'),
    html`<h1>${
      exists ? t('Rule of {folder}', { folder: html`<code dir="auto">${draft.folder}</code>` }) : t('New folder rule')
    }</h1>
${errorNotice(failed)}
${view.readers && preview(view, view.readers)}
<form class="form" method="post" action="${ruleUrl(space.slug)}">
${CSRF_FIELD}
${
  exists
    ? hidden('folder', draft.folder)
    : textField('folder', t('Folder'), {
        required: true,
        maxLength: 1024,
        value: draft.folder,
        help: t('Its path, such as `hr`. The rule covers the page and the file of this path, and all below it.'),
      })
}
${listPart(view, 'readers')}
${listPart(view, 'writers')}
${guestPart(view)}
<div class="buttons">
<button class="button${view.readers === undefined && ' primary'}" type="submit">${t('Check')}</button>
<a class="button plain" href="${rulesUrl(space.slug)}">${t('Cancel')}</a>
</div>
</form>`,
  )
}

function ruleFrame(space: Space, here: string, main: Html): Screen {
  return spaceFrame(space, 'Settings', {
    title: `${here} · ${t('Folder rules')} · ${space.name}`,
    crumbs: [
      { text: t('Folder rules'), href: rulesUrl(space.slug) },
      { text: here, href: ruleUrl(space.slug) },
    ],
    main: html`<div class="screen narrow">\n${main}\n</div>`,
  })
}

const LISTS = {
  readers: {
    name: 'read',
    label: msg('Who reads'),
    above: msg('As the rule above says, or else the space.'),
    only: msg('And those who write here, guests, and the admins of the space.'),
  },
  writers: {
    name: 'write',
    label: msg('Who writes'),
    above: msg('As the rule above says, or else the space. Nobody writes who does not read.'),
    only: msg('As far as their roles in the space allow; and its admins. They read, too.'),
  },
} as const

function listPart({ draft, listed, searches }: RuleFormView, list: 'readers' | 'writers'): Html {
  const { name, label, above, only } = LISTS[list]
  const search = searches?.get(list)
  const shownItems = withFound(
    listed.filter((each) => draft[list].includes(toKey(each))),
    search,
  )
  return html`<section aria-labelledby="${list}"><h2 id="${list}">
${t('{list, select, readers {Reading} other {Writing}}', { list })}</h2>
${radioButtons(name, t(label), {
  value: draft[name],
  choices: [
    { value: 'inherit', text: t('As above'), help: t(above) },
    { value: OWN_LIST, text: t('Only these'), help: t(only) },
  ],
})}
${
  shownItems.length > 0 &&
  checkBoxes(list, t('People, agents and groups'), {
    values: draft[list],
    choices: shownItems.map((each) => ({ value: toKey(each), text: describe(each, shownItems) })),
    help: t('Clear a box to take somebody off the list.'),
  })
}
${searchField(list, t('Add by name or e-mail address'), search)}
</section>`
}

function guestPart({ space, draft, exists, listed, searches }: RuleFormView): Html {
  const search = searches?.get('guests')
  const guests = listed.filter(({ principal }) => principal && draft.guests.has(principal.id))
  const selects = withFound(guests, search).flatMap(({ principal }) => (principal ? [principal] : []))
  return html`<section aria-labelledby="guests"><h2 id="guests">${t('Guests')}</h2>
<p class="help">${t(
    'Guests have access to this folder beside all others. Of the space they see only what names them.',
  )}</p>
${selects.map(({ id, name }) =>
  selectField('guests[]', name, {
    id: `guest-${id}`,
    value: `${id}:${draft.guests.get(id) ?? ''}`,
    choices: [
      { value: `${id}:`, text: t('No access') },
      { value: `${id}:viewer`, text: t('Viewer: reads') },
      { value: `${id}:editor`, text: t('Editor: writes') },
    ],
  }),
)}
${searchField('guests', t('Add a guest by name or e-mail address'), search)}
${
  exists &&
  html`<p><a class="button" href="${inviteGuestUrl(
    space.slug,
    draft.folder,
  )}">${t('Invite a guest to this folder')}</a></p>`
}
</section>`
}

function withFound(onList: readonly RuleEntry[], search: RuleSearch | undefined): readonly RuleEntry[] {
  const keys = new Set(onList.map(toKey))
  return [...onList, ...(search && !search.isAdded ? search.items.filter((each) => !keys.has(toKey(each))) : [])]
}

function searchField(list: RuleListName, label: string, search: RuleSearch | undefined): Html {
  const id = `find-${list}`
  const { text = '', items = [], more = false, isAdded = false } = search ?? {}
  const choose = items.length > 0 ? t('Choose above who is meant.') : t('Nobody is called “{name}”.', { name: text })
  return html`<div class="form side"><div class="field"><label for="${id}">${label}</label>
<input dir="auto" type="search" id="${id}" name="${id}" maxlength="200" autocomplete="off"
  value="${isAdded ? '' : text}"></div>
<button class="button" type="submit" aria-label="${t(
    'Add to {list, select, readers {readers} writers {writers} other {guests}}',
    { list },
  )}">${t('Add')}</button></div>
${
  search &&
  !isAdded &&
  html`<p class="help" role="status">${choose}${more && html` ${t('There are more: type more of the name.')}`}</p>`
}`
}

/** The name with the kind; of two with one name also the end of the id. */
function describe({ principal, group, guest }: RuleEntry, others: readonly RuleEntry[]): string {
  const name = principal?.name ?? group?.name
  const kind = group ? t('group') : guest ? t('guest') : principal?.kind === 'agent' ? t('agent') : undefined
  const isTwin = others.filter((other) => (other.principal?.name ?? other.group?.name) === name).length > 1
  const about = [kind, isTwin && `…${(principal?.id ?? group?.id)?.slice(-4)}`].filter(Boolean).join(' ')
  return about === '' ? `${name}` : `${name} (${about})`
}

function preview({ space, draft }: RuleFormView, readers: ReadersChange): Html {
  const fields = draftFields(draft).map(([name, value]) => hidden(name, value))
  return html`<section class="notice" aria-labelledby="preview"><h2 id="preview">${t('Before it is saved')}</h2>
${readersChange(readers)}
<form method="post" action="${ruleUrl(space.slug)}">
${CSRF_FIELD}${fields}${hidden('action', 'save')}
<button class="button primary" type="submit">${t('Save')}</button>
</form></section>`
}

/** Who can read a folder after a change, and who no longer can. */
function readersChange({ gains, loses, revisions }: ReadersChange): Html {
  if (gains.count + loses.count === 0) return html`<p role="status">${t('Nobody gains or loses reading.')}</p>`
  return html`<div role="status">
${
  gains.count > 0 &&
  html`<p>${t(
    '<strong>{count, plural, one {# person or agent gains} other {# people and agents gain}}</strong> ' +
      'reading: {names}.',
    { ...listNames(gains), strong },
  )} ${t('{revisions, plural, one {# version becomes} other {# versions become}} readable, old ones included.', {
    revisions,
  })}</p>`
}
${
  loses.count > 0 &&
  html`<p>${t(
    '<strong>{count, plural, one {# person or agent loses} other {# people and agents lose}}</strong> ' +
      'reading: {names}.',
    { ...listNames(loses), strong },
  )}</p>`
}
</div>`
}

const strong = (text: Html) => html`<strong>${text}</strong>`

function listNames({ count, principals }: ReadersChange['gains']) {
  const some = principals.slice(0, MAX_NAMES).map(({ name }) => name)
  return { count, names: joinList(some, count - some.length) }
}

/** The confirmation before a rule is removed. */
export function removeRuleScreen(view: {
  readonly space: Space
  readonly rule: Pick<Rule, 'prefix'>
  readonly readers: ReadersChange
  readonly failed?: FailedForm | undefined
}): Screen {
  const { space, rule, readers, failed } = view
  return ruleFrame(
    space,
    rule.prefix,
    html`<h1>${t('Remove the rule of {folder}?', { folder: html`<code dir="auto">${rule.prefix}</code>` })}</h1>
${errorNotice(failed)}
<p>${t('The rule above decides again, or else the space.')}</p>
${readersChange(readers)}
<form class="form" method="post" action="${removeRuleUrl(space.slug)}">
${CSRF_FIELD}${hidden('folder', rule.prefix)}
<div class="buttons"><button class="button danger" type="submit">${t('Remove the rule')}</button>
<a class="button plain" href="${rulesUrl(space.slug)}">${t('Cancel')}</a></div>
</form>`,
  )
}
