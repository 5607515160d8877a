import type { RuleEntry } from '../../../content/spaces/rules/find-entries.ts'
import type { ReviewRules, Space } from '../../../content/spaces/schema.ts'
import { checkBoxes, errorNotice, selectField, textField, translateChoices } from '../controls.ts'
import { CSRF_FIELD } from '../forms.ts'
import { html, msg, t } from '../html.ts'
import type { FailedForm, Screen } from '../screen.ts'
import { spaceFrame } from '../space-screen.ts'
import { settingsUrl } from '../urls.ts'

const DIRECT = [
  { value: 'direct', text: msg('Counts at once') },
  { value: 'required', text: msg('Is reviewed first') },
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
  value: owners.map((owner) => toLine(owner, view.entries)).join('\n'),
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
