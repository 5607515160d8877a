import type { Rule } from '../../../content/spaces/rules/schema.ts'
import type { Space } from '../../../content/spaces/schema.ts'
import type { List } from '../../../platform/http/paging.ts'
import { doneNotice } from '../controls.ts'
import { type Html, type HtmlValue, html, joinList, t } from '../html.ts'
import { actorName, badge, moment, pager, ROLE_NAMES, type Row, rows } from '../rows.ts'
import type { Screen, Shown } from '../screen.ts'
import { spaceFrame } from '../space-screen.ts'
import { removeRuleUrl, rulesUrl, ruleUrl } from '../urls.ts'

const MAX_NAMES = 20

/** The folder rules of a space. */
export function rulesScreen(view: Shown & { readonly space: Space; readonly rules: List<Rule> }): Screen {
  const { space, rules, cursor, done } = view
  const empty = html`<p>${t('No folder has a rule: whoever reads the space reads all of it.')}</p>`
  return spaceFrame(space, 'Settings', {
    heading: t('Folder rules'),
    crumbs: [{ text: t('Folder rules'), href: rulesUrl(space.slug) }],
    actions: html`<p class="buttons"><a class="button primary" href="${ruleUrl(space.slug)}">${t('New rule')}</a></p>`,
    main: html`${doneNotice(done)}
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
}

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
