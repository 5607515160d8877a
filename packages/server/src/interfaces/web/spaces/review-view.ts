import type { RuleEntry } from '../../../content/spaces/rules/find-entries.ts'
import type { ReviewRules, Space } from '../../../content/spaces/schema.ts'
import { checkBoxes, errorNotice, selectField, textField } from '../controls.ts'
import { CSRF_FIELD } from '../forms.ts'
import { html } from '../html.ts'
import type { FailedForm, Screen } from '../screen.ts'
import { spaceFrame } from '../space-screen.ts'
import { settingsUrl } from '../urls.ts'

const DIRECT = [
  { value: 'direct', text: 'Counts at once' },
  { value: 'required', text: 'Is reviewed first' },
]
const APPROVALS = [0, 1, 2, 3, 4, 5].map((count) => ({ value: String(count), text: String(count) }))

/** The form for what a space reviews, and for what a merge needs. */
export function reviewScreen(view: {
  readonly space: Space
  /** Everybody who owns pages. */
  readonly entries: readonly RuleEntry[]
  readonly failed?: FailedForm | undefined
}): Screen {
  const { space, failed } = view
  const { people, agents, keys, approvals, checks, owners = [] } = space.review
  const url = settingsUrl(space.slug, 'review')
  return spaceFrame(space, 'Settings', {
    title: `Reviews · ${space.name}`,
    crumbs: [
      { text: 'Settings', href: settingsUrl(space.slug) },
      { text: 'Reviews', href: url },
    ],
    main: html`<div class="screen narrow">
<h1>Reviews</h1>
${errorNotice(failed)}
<form class="form" method="post" action="${url}">
${CSRF_FIELD}
${selectField({ name: 'people', label: 'What people change', value: people, choices: DIRECT, failed, help: 'What is reviewed first is proposed in a change request, and counts when an editor merges it.' })}
${selectField({ name: 'agents', label: 'What agents and apps change', value: agents, choices: DIRECT, failed, help: 'If it is reviewed first, a person who is signed in here merges it.' })}
${checkBoxes({ name: 'keys', label: 'API keys of people', values: keys === 'agents' ? ['agents'] : [], choices: [{ value: 'agents', text: 'What is changed by them counts as changed by an agent' }], failed })}
${selectField({ name: 'approvals', label: 'Approvals of each change', value: String(approvals), choices: APPROVALS, failed, help: 'Of editors who did not write it, before it is merged.' })}
${textField({ name: 'owners', label: 'Owners', rows: 4, value: owners.map((owner) => toLine(owner, view.entries)).join('\n'), failed, help: 'One line for each pattern of paths, as in a CODEOWNERS file, with names of people, agents and groups: `/hr/**: Eva, Human Resources`. One of them approves the changes there; the last line that matches counts.' })}
${textField({ name: 'checks', label: 'Checks', rows: 3, value: checks.join('\n'), failed, help: 'One name a line. Programs send the results; a merge needs all of them.' })}
<div class="buttons"><button type="submit" class="button primary">Save</button>
<a class="button plain" href="${settingsUrl(space.slug)}">Cancel</a></div>
</form></div>`,
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
