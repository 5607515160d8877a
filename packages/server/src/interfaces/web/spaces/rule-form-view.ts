import { counted } from '@recto/lib/text/counted.ts'
import type { RuleEntry } from '../../../content/spaces/rules/find-entries.ts'
import type { ReadersChange, Rule } from '../../../content/spaces/rules/schema.ts'
import type { Space } from '../../../content/spaces/schema.ts'
import { checkBoxes, errorNotice, hidden, radioButtons, selectField, textField } from '../controls.ts'
import { CSRF_FIELD } from '../forms.ts'
import { type Html, html } from '../html.ts'
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
    exists ? draft.folder : 'New rule',
    html`<h1>${exists ? html`Rule of <code dir="auto">${draft.folder}</code>` : 'New folder rule'}</h1>
${errorNotice(failed)}
${view.readers && preview(view, view.readers)}
<form class="form" method="post" action="${ruleUrl(space.slug)}">
${CSRF_FIELD}
${exists ? hidden('folder', draft.folder) : textField({ name: 'folder', label: 'Folder', required: true, maxLength: 1024, value: draft.folder, help: 'Its path, such as `hr`. The rule covers the page and the file of this path, and all below it.' })}
${listPart(view, 'readers')}
${listPart(view, 'writers')}
${guestPart(view)}
<div class="buttons">
<button class="button${view.readers === undefined && ' primary'}" type="submit">Check</button>
<a class="button plain" href="${rulesUrl(space.slug)}">Cancel</a>
</div>
</form>`,
  )
}

function ruleFrame(space: Space, here: string, main: Html): Screen {
  return spaceFrame(space, 'Settings', {
    title: `${here} · Folder rules · ${space.name}`,
    crumbs: [
      { text: 'Folder rules', href: rulesUrl(space.slug) },
      { text: here, href: ruleUrl(space.slug) },
    ],
    main: html`<div class="screen narrow">\n${main}\n</div>`,
  })
}

const LISTS = {
  readers: {
    name: 'read',
    title: 'Reading',
    label: 'Who reads',
    above: 'As the rule above says, or else the space.',
    only: 'And those who write here, guests, and the admins of the space.',
  },
  writers: {
    name: 'write',
    title: 'Writing',
    label: 'Who writes',
    above: 'As the rule above says, or else the space. Nobody writes who does not read.',
    only: 'As far as their roles in the space allow; and its admins. They read, too.',
  },
} as const

function listPart({ draft, listed, searches }: RuleFormView, list: 'readers' | 'writers'): Html {
  const { name, title, label, above, only } = LISTS[list]
  const search = searches?.get(list)
  const shownItems = withFound(
    listed.filter((each) => draft[list].includes(toKey(each))),
    search,
  )
  return html`<section aria-labelledby="${list}"><h2 id="${list}">${title}</h2>
${radioButtons({
  name,
  label,
  value: draft[name],
  choices: [
    { value: 'inherit', text: 'As above', help: above },
    { value: OWN_LIST, text: 'Only these', help: only },
  ],
})}
${
  shownItems.length > 0 &&
  checkBoxes({
    name: list,
    label: 'People, agents and groups',
    values: draft[list],
    choices: shownItems.map((each) => ({ value: toKey(each), text: describe(each, shownItems) })),
    help: 'Clear a box to take somebody off the list.',
  })
}
${searchField(list, 'Add by name or e-mail address', search)}
</section>`
}

function guestPart({ space, draft, exists, listed, searches }: RuleFormView): Html {
  const search = searches?.get('guests')
  const guests = listed.filter(({ principal }) => principal && draft.guests.has(principal.id))
  const selects = withFound(guests, search).flatMap(({ principal }) => (principal ? [principal] : []))
  return html`<section aria-labelledby="guests"><h2 id="guests">Guests</h2>
<p class="help">Guests have access to this folder beside all others. Of the space they see only what names them.</p>
${selects.map(({ id, name }) =>
  selectField({
    name: 'guests[]',
    id: `guest-${id}`,
    label: name,
    value: `${id}:${draft.guests.get(id) ?? ''}`,
    choices: [
      { value: `${id}:`, text: 'No access' },
      { value: `${id}:viewer`, text: 'Viewer: reads' },
      { value: `${id}:editor`, text: 'Editor: writes' },
    ],
  }),
)}
${searchField('guests', 'Add a guest by name or e-mail address', search)}
${exists && html`<p><a class="button" href="${inviteGuestUrl(space.slug, draft.folder)}">Invite a guest to this folder</a></p>`}
</section>`
}

function withFound(onList: readonly RuleEntry[], search: RuleSearch | undefined): readonly RuleEntry[] {
  const keys = new Set(onList.map(toKey))
  return [...onList, ...(search && !search.isAdded ? search.items.filter((each) => !keys.has(toKey(each))) : [])]
}

function searchField(list: RuleListName, label: string, search: RuleSearch | undefined): Html {
  const id = `find-${list}`
  const { text = '', items = [], more = false, isAdded = false } = search ?? {}
  const choose = items.length > 0 ? 'Choose above who is meant.' : `Nobody is called “${text}”.`
  return html`<div class="form side"><div class="field"><label for="${id}">${label}</label>
<input dir="auto" type="search" id="${id}" name="${id}" maxlength="200" autocomplete="off" value="${isAdded ? '' : text}"></div>
<button class="button" type="submit" aria-label="Add to ${list}">Add</button></div>
${search && !isAdded && html`<p class="help" role="status">${choose}${more && ' There are more: type more of the name.'}</p>`}`
}

/** The name with the kind; of two with one name also the end of the id. */
function describe({ principal, group, guest }: RuleEntry, others: readonly RuleEntry[]): string {
  const name = principal?.name ?? group?.name
  const kind = group ? 'group' : guest ? 'guest' : principal?.kind === 'agent' ? 'agent' : undefined
  const isTwin = others.filter((other) => (other.principal?.name ?? other.group?.name) === name).length > 1
  const about = [kind, isTwin && `…${(principal?.id ?? group?.id)?.slice(-4)}`].filter(Boolean).join(' ')
  return about === '' ? `${name}` : `${name} (${about})`
}

function preview({ space, draft }: RuleFormView, readers: ReadersChange): Html {
  const fields = draftFields(draft).map(([name, value]) => hidden(name, value))
  return html`<section class="notice" aria-labelledby="preview"><h2 id="preview">Before it is saved</h2>
${readersChange(readers)}
<form method="post" action="${ruleUrl(space.slug)}">
${CSRF_FIELD}${fields}${hidden('action', 'save')}
<button class="button primary" type="submit">Save</button>
</form></section>`
}

/** Who can read a folder after a change, and who no longer can. */
function readersChange({ gains, loses, revisions }: ReadersChange): Html {
  if (gains.count + loses.count === 0) return html`<p role="status">Nobody gains or loses reading.</p>`
  return html`<div role="status">
${gains.count > 0 && html`<p><strong>${counted(gains.count, 'person or agent gains', 'people and agents gain')}</strong> reading: ${names(gains)}. ${counted(revisions, 'version becomes', 'versions become')} readable, old ones included.</p>`}
${loses.count > 0 && html`<p><strong>${counted(loses.count, 'person or agent loses', 'people and agents lose')}</strong> reading: ${names(loses)}.</p>`}
</div>`
}

function names({ count, principals }: ReadersChange['gains']): Html {
  const some = principals.slice(0, MAX_NAMES)
  const rest = count - some.length
  return html`${some.map(({ name }, index) => html`${index > 0 && ', '}${name}`)}${rest > 0 && ` and ${rest} more`}`
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
    html`<h1>Remove the rule of <code dir="auto">${rule.prefix}</code>?</h1>
${errorNotice(failed)}
<p>The rule above decides again, or else the space.</p>
${readersChange(readers)}
<form class="form" method="post" action="${removeRuleUrl(space.slug)}">
${CSRF_FIELD}${hidden('folder', rule.prefix)}
<div class="buttons"><button class="button danger" type="submit">Remove the rule</button>
<a class="button plain" href="${rulesUrl(space.slug)}">Cancel</a></div>
</form>`,
  )
}
