import type { Rule } from '../../../content/spaces/rules/schema.ts'
import type { Space } from '../../../content/spaces/schema.ts'
import type { List } from '../../../platform/http/paging.ts'
import { doneNotice } from '../controls.ts'
import { type Html, html } from '../html.ts'
import { actorName, badge, moment, pager, type Row, rows } from '../rows.ts'
import type { Screen, Shown } from '../screen.ts'
import { spaceFrame } from '../space-screen.ts'
import { removeRuleUrl, rulesUrl, ruleUrl } from '../urls.ts'

const MAX_NAMES = 20

/** The folder rules of a space. */
export function rulesScreen(view: Shown & { readonly space: Space; readonly rules: List<Rule> }): Screen {
  const { space, rules, cursor, done } = view
  const empty = html`<p>No folder has a rule: whoever reads the space reads all of it.</p>`
  return spaceFrame(space, 'Settings', {
    title: `Folder rules · ${space.name}`,
    crumbs: [{ text: 'Folder rules', href: rulesUrl(space.slug) }],
    main: html`<div class="screen narrow">
<div class="title-row"><h1>Folder rules</h1><p class="buttons"><a class="button primary" href="${ruleUrl(space.slug)}">New rule</a></p></div>
${doneNotice(done)}
<p>A rule says who reads and who writes in a folder. The nearest rule counts. What it hides is nowhere to be seen for others: not in lists, search or links.</p>
${rows(
  'Folder rules',
  rules.items.map((rule) => ruleRow(space, rule)),
  empty,
)}
${pager(rulesUrl(space.slug), {}, { cursor, nextCursor: rules.nextCursor })}
</div>`,
  })
}

function ruleRow({ slug }: Space, { prefix, read, write, guests, updatedAt, updatedBy }: Rule): Row {
  const guestNames = guests.map(({ principal, role }) => `${principal.name} (${role})`)
  return {
    title: html`<code dir="auto">${prefix}</code>`,
    badges: [read !== 'inherit' && badge('restricted', 'info')],
    about: html`Read by ${renderList(read)}; written by ${renderList(write)}${guests.length > 0 && html`; guests: ${renderNames(guestNames)}`}.
Changed by ${actorName(updatedBy)} ${moment(updatedAt)}`,
    actions: html`<a class="button" href="${ruleUrl(slug, prefix)}" aria-label="Change the rule of ${prefix}">Change</a>
<a class="button" href="${removeRuleUrl(slug, prefix)}" aria-label="Remove the rule of ${prefix}">Remove</a>`,
  }
}

function renderList(list: Rule['read']): Html {
  if (list === 'inherit') return html`the same as above`
  if (list.length === 0) return html`admins alone`
  return renderNames(list.map(({ principal, group }) => principal?.name ?? `${group?.name} (group)`))
}

function renderNames(names: readonly string[]): Html {
  const rest = names.length - MAX_NAMES
  const some = names.slice(0, MAX_NAMES).map((name, index) => html`${index > 0 && ', '}${name}`)
  return html`${some}${rest > 0 && ` and ${rest} more`}`
}
