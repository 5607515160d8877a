import type { Member, Opens, Space, SpaceGroup } from '../../../content/spaces/schema.ts'
import type { JobCounts } from '../../../events/jobs/job.ts'
import type { List } from '../../../platform/http/paging.ts'
import {
  checkBoxes,
  doneNotice,
  errorNotice,
  radioButtons,
  selectField,
  textField,
  translateChoices,
} from '../controls.ts'
import { CSRF_FIELD } from '../forms.ts'
import { type Html, html, msg, t } from '../html.ts'
import { iconField } from '../icon/icon-field.ts'
import { progressBar } from '../progress.ts'
import { actorName, badge, moment, ROLE_NAMES } from '../rows.ts'
import type { Screen, Shown } from '../screen.ts'
import { sectionsWithList } from '../sections.ts'
import { spaceFrame } from '../space-screen.ts'
import { exportUrl, GALLERY, importUrl, rulesUrl, settingsUrl, trashUrl } from '../urls.ts'
import { groupsSection } from './groups-view.ts'
import { type MembersView, membersSection } from './members-view.ts'
import { DEFAULT_ROLES, LANGUAGE_HELP, languageChoices, PUBLIC, VISIBILITIES } from './new-space-view.ts'

export interface SettingsView extends Shown {
  readonly space: Space
  /** Absent in a personal space, which has none. */
  readonly members?: List<Member> | undefined
  readonly groups?: List<SpaceGroup> | undefined
  readonly groupsCursor?: string | undefined
  readonly search?: MembersView['search']
  /** What the space would show to everybody. */
  readonly opens: Opens | null
  /** How many requests for access are open. */
  readonly requests: number
  readonly mayDelete: boolean
  readonly mayPublish: boolean
  readonly maySnapshot: boolean
  /** While the search index of the space is being renewed. */
  readonly reindexing?: JobCounts | undefined
}

/** The settings and members of a space; space admins can change them. */
export function settingsScreen(view: SettingsView): Screen {
  const { space, failed } = view
  const isAdmin = space.role === 'admin'
  return spaceFrame(space, 'Settings', {
    title: `${t('Settings')} · ${space.name}`,
    crumbs: [{ text: t('Settings'), href: settingsUrl(space.slug) }],
    islands: [...(isAdmin ? ['emoji-picker'] : []), ...(view.reindexing ? ['progress'] : [])],
    heading: t('{space}: settings', { space: space.name }),
    main: html`${doneNotice(view.done)}
${errorNotice(failed)}
${facts(space)}
${sectionsWithList(
  html`${view.reindexing && searchIndex(view.reindexing)}
${view.members && membersSection({ ...view, members: view.members })}
${view.groups && view.groups.items.length > 0 && groupsSection({ ...view, groups: view.groups })}
${isAdmin && describeForm(view)}
${isAdmin && space.kind === 'shared' && slugForm(view)}
${view.maySnapshot && snapshotForm(view)}
${
  view.mayDelete &&
  html`<section aria-labelledby="delete"><h2 id="delete">${t('Delete the space')}</h2>
<p>${t('Deletes the space with all its pages, history and properties. This cannot be undone.')}</p>
<p><a class="button danger" href="${settingsUrl(space.slug, 'delete')}">${t('Delete the space…')}</a></p></section>`
}`,
  elsewhere(view),
)}`,
  })
}

function facts(space: Space): Html {
  const { kind, visibility, defaultRole } = space
  const visibilityText =
    kind === 'personal'
      ? t('Only you can see it.')
      : visibility === 'private'
        ? t('Only members can see it.')
        : t(
            'Everybody can read it{visibility, select, public {, also without an account where public spaces are ' +
              'on} other {}}{role, select, editor {, and people can write in it} other {}}.',
            { visibility, role: defaultRole },
          )
  const role = html`<strong>${t(ROLE_NAMES[space.role])}</strong>`
  const created = { when: moment(space.createdAt, 'absolute'), name: actorName(space.createdBy) }
  return html`<p>${visibilityText} ${t('Your role is {role}.', { role })} ${
    kind === 'shared' && t('Created {when} by {name}.', created)
  }</p>`
}

function searchIndex(counts: JobCounts): Html {
  return html`<section aria-labelledby="search-index"><h2 id="search-index">${t('Search index')}</h2>
<p>${t('The pages are being indexed again in the background. Until then, a search may miss some of them.')}</p>
${progressBar(counts, 'pages', t('All pages are indexed.'))}</section>`
}

const SHARES = [
  { value: 'on', text: msg('Editors can make them') },
  { value: 'off', text: msg('Off') },
]

const PROPOSALS = [
  { value: 'readers', text: msg('From everybody who reads it') },
  { value: 'editors', text: msg('From editors') },
  { value: 'off', text: msg('Off') },
]

function describeForm({ space, failed, opens, mayPublish }: SettingsView): Html {
  const { kind, name, description, visibility, defaultRole, accessRequests, language, icon, shares } = space
  const offersPublic = mayPublish || visibility === 'public'
  const own = failed && 'name' in failed.fields ? failed : undefined
  const choices = translateChoices(offersPublic ? [...VISIBILITIES, PUBLIC] : VISIBILITIES)
  return html`<section aria-labelledby="about"><h2 id="about">${t('About the space')}</h2>
<form class="form" method="post" action="${settingsUrl(space.slug)}">
${CSRF_FIELD}
${textField('name', t('Name'), { required: true, maxLength: 200, value: name, failed: own })}
${iconField({ value: icon, failed: own })}
${textField('description', t('Description'), { maxLength: 2000, rows: 3, value: description, failed: own })}
${
  kind === 'shared' &&
  html`${radioButtons('visibility', t('Who can see it'), { value: visibility, choices, failed: own })}
${opens && html`<p class="help">${opened(opens)}</p>`}
${
  offersPublic &&
  checkBoxes('publicMetadata', t('Without an account'), {
    values: space.publicMetadata ? ['yes'] : [],
    choices: [{ value: 'yes', text: t('Properties of pages, by which searches find them') }],
    failed: own,
  })
}
${selectField('defaultRole', t('Access for non-members'), {
  value: defaultRole,
  choices: translateChoices(DEFAULT_ROLES),
  failed: own,
  help: t('Applies to spaces that everybody can see. Agents can only read until they are members.'),
})}
${checkBoxes('accessRequests', t('Requests for access'), {
  values: accessRequests ? ['yes'] : [],
  choices: [{ value: 'yes', text: t('People without access may ask for it') }],
  failed: own,
})}`
}
${selectField('shares', t('Share links'), {
  value: shares ? 'on' : 'off',
  choices: translateChoices(SHARES),
  failed: own,
  help: t('Links that show pages to whoever has them. While they are off, those that exist show nothing.'),
})}
${selectField('proposals', t('Change requests'), {
  value: space.proposals,
  choices: translateChoices(PROPOSALS),
  failed: own,
  help: t('Changes that are proposed, and count when an editor merges them.'),
})}
${selectField('comments', t('Comments'), { value: space.comments, choices: translateChoices(PROPOSALS), failed: own })}
${selectField('language', t('Language'), {
  value: language,
  choices: languageChoices(),
  failed: own,
  help: `${t(LANGUAGE_HELP)} ${t('After a change the pages are indexed again in the background.')}`,
})}
<button type="submit" class="button primary">${t('Save')}</button>
</form></section>`
}

function opened({ people, revisions, metadataChanges, comments }: Opens): string {
  return t(
    'If everybody can see it, {people, plural, one {# more person or agent} other {# more people and agents}} can ' +
      'read {revisions, plural, one {# version} other {# versions}}, old ones included, {changes, plural, one {# ' +
      'change} other {# changes}} of properties and {comments, plural, one {# comment} other {# comments}}.',
    { people, revisions, changes: metadataChanges, comments },
  )
}

function slugForm({ space, failed }: SettingsView): Html {
  const own = failed && 'slug' in failed.fields ? failed : undefined
  return html`<section aria-labelledby="address"><h2 id="address">${t('URL')}</h2>
<form class="form" method="post" action="${settingsUrl(space.slug, 'slug')}">
${CSRF_FIELD}
${textField('slug', t('Slug'), {
  required: true,
  maxLength: 64,
  pattern: '[a-z0-9]+(-[a-z0-9]+)*',
  value: space.slug,
  failed: own,
  help: t('The URLs of all its pages change. Links to the old slug redirect to the new one.'),
})}
<button type="submit" class="button">${t('Change the slug')}</button>
</form></section>`
}

function snapshotForm({ space, failed }: SettingsView): Html {
  const own = failed && 'templateId' in failed.fields ? failed : undefined
  return html`<section aria-labelledby="template"><h2 id="template">${t('Save as a template')}</h2>
<p>${t(
    'Saves the current pages with their properties, without history, in the <link>gallery</link>. ' +
      'Everybody can see them there.',
    { link: (text) => html`<a href="${GALLERY}">${text}</a>` },
  )}</p>
<form class="form" method="post" action="${settingsUrl(space.slug, 'template')}">
${CSRF_FIELD}
${textField('templateId', t('Id'), {
  required: true,
  maxLength: 64,
  pattern: '[a-z0-9]+(-[a-z0-9]+)*',
  value: space.slug,
  failed: own,
  help: t('A template with the same id is replaced.'),
})}
${textField('title', t('Title'), { maxLength: 200, value: space.name, failed: own })}
${textField('summary', t('Description'), { maxLength: 2000, rows: 2, value: space.description, failed: own })}
${textField('category', t('Category'), { maxLength: 100, failed: own })}
<button type="submit" class="button">${t('Save as a template')}</button>
</form></section>`
}

/** What has a screen of its own. */
function elsewhere({ space: { slug, role, kind }, requests }: SettingsView) {
  const isManaged = role === 'admin' && kind === 'shared'
  return [
    isManaged && { text: t('Folder rules'), href: rulesUrl(slug) },
    isManaged && { text: t('Reviews'), href: settingsUrl(slug, 'review') },
    isManaged && {
      text: html`${t('Requests for access')}${requests > 0 && html` ${badge(String(requests), 'info')}`}`,
      href: settingsUrl(slug, 'requests'),
    },
    role !== 'viewer' && { text: t('Share links'), href: settingsUrl(slug, 'shares') },
    { text: t('Trash'), href: trashUrl(slug) },
    role !== 'viewer' && { text: t('Import'), href: importUrl(slug) },
    { text: t('Export'), href: exportUrl(slug) },
  ]
}
