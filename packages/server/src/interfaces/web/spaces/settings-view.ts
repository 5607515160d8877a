import { counted } from '@recto/lib/text/counted.ts'
import type { SpaceGroup } from '../../../content/spaces/groups.ts'
import type { Member } from '../../../content/spaces/members.ts'
import type { Opens, Space } from '../../../content/spaces/schema.ts'
import type { JobCounts } from '../../../events/jobs/job.ts'
import type { List } from '../../../platform/http/paging.ts'
import { checkBoxes, doneNotice, errorNotice, radioButtons, selectField, textField } from '../controls.ts'
import { CSRF_FIELD } from '../forms.ts'
import { type Html, type HtmlValue, html } from '../html.ts'
import { iconField } from '../icon/icon-field.ts'
import { progressBar } from '../progress.ts'
import { actorName, moment } from '../rows.ts'
import type { Screen, Shown } from '../screen.ts'
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
    title: `Settings · ${space.name}`,
    crumbs: [{ text: 'Settings', href: settingsUrl(space.slug) }],
    islands: [...(isAdmin ? ['emoji-picker'] : []), ...(view.reindexing ? ['progress'] : [])],
    main: html`<div class="screen narrow">
<h1>${space.name}: settings</h1>
${doneNotice(view.done)}
${errorNotice(failed)}
${facts(space)}
${view.reindexing && searchIndex(view.reindexing)}
${view.members && membersSection({ ...view, members: view.members })}
${view.groups && view.groups.items.length > 0 && groupsSection({ ...view, groups: view.groups })}
${isAdmin && describeForm(view)}
${isAdmin && space.kind === 'shared' && slugForm(view)}
${view.maySnapshot && snapshotForm(view)}
${elsewhere(view)}
${
  view.mayDelete &&
  html`<section aria-labelledby="delete"><h2 id="delete">Delete the space</h2>
<p>Deletes the space with all its pages, history and properties. This cannot be undone.</p>
<p><a class="button danger" href="${settingsUrl(space.slug, 'delete')}">Delete the space…</a></p></section>`
}
</div>`,
  })
}

function facts(space: Space): Html {
  const { kind, visibility, defaultRole } = space
  const visibilityText: HtmlValue =
    kind === 'personal'
      ? 'Only you can see it.'
      : visibility === 'private'
        ? 'Only members can see it.'
        : `Everybody can read it${visibility === 'public' ? ', also without an account where public spaces are on' : ''}${defaultRole === 'editor' ? ', and people can write in it' : ''}.`
  return html`<p>${visibilityText} Your role is <strong>${space.role}</strong>. ${kind === 'shared' && html`Created ${moment(space.createdAt, 'absolute')} by ${actorName(space.createdBy)}.`}</p>`
}

function searchIndex(counts: JobCounts): Html {
  return html`<section aria-labelledby="search-index"><h2 id="search-index">Search index</h2>
<p>The pages are being indexed again in the background. Until then, a search may miss some of them.</p>
${progressBar(counts, 'pages', 'All pages are indexed.')}</section>`
}

const SHARES = [
  { value: 'on', text: 'Editors can make them' },
  { value: 'off', text: 'Off' },
]

const PROPOSALS = [
  { value: 'readers', text: 'From everybody who reads it' },
  { value: 'editors', text: 'From editors' },
  { value: 'off', text: 'Off' },
]

function describeForm({ space, failed, opens, mayPublish }: SettingsView): Html {
  const { kind, name, description, visibility, defaultRole, accessRequests, language, icon, shares } = space
  const offersPublic = mayPublish || visibility === 'public'
  const own = failed && 'name' in failed.fields ? failed : undefined
  const choices = offersPublic ? [...VISIBILITIES, PUBLIC] : VISIBILITIES
  return html`<section aria-labelledby="about"><h2 id="about">About the space</h2>
<form class="form" method="post" action="${settingsUrl(space.slug)}">
${CSRF_FIELD}
${textField({ name: 'name', label: 'Name', required: true, maxLength: 200, value: name, failed: own })}
${iconField({ value: icon, failed: own })}
${textField({ name: 'description', label: 'Description', maxLength: 2000, rows: 3, value: description, failed: own })}
${
  kind === 'shared' &&
  html`${radioButtons({ name: 'visibility', label: 'Who can see it', value: visibility, choices, failed: own })}
${opens && html`<p class="help">${opened(opens)}</p>`}
${offersPublic && checkBoxes({ name: 'publicMetadata', label: 'Without an account', values: space.publicMetadata ? ['yes'] : [], choices: [{ value: 'yes', text: 'Searches find pages by their properties, too' }], failed: own })}
${selectField({ name: 'defaultRole', label: 'Access for non-members', value: defaultRole, choices: DEFAULT_ROLES, failed: own, help: 'Applies to spaces that everybody can see. Agents can only read until they are members.' })}
${checkBoxes({ name: 'accessRequests', label: 'Requests for access', values: accessRequests ? ['yes'] : [], choices: [{ value: 'yes', text: 'People without access may ask for it' }], failed: own })}`
}
${selectField({ name: 'shares', label: 'Share links', value: shares ? 'on' : 'off', choices: SHARES, failed: own, help: 'Links that show pages to whoever has them. While they are off, those that exist show nothing.' })}
${selectField({ name: 'proposals', label: 'Change requests', value: space.proposals, choices: PROPOSALS, failed: own, help: 'Changes that are proposed, and count when an editor merges them.' })}
${selectField({ name: 'comments', label: 'Comments', value: space.comments, choices: PROPOSALS, failed: own })}
${selectField({ name: 'language', label: 'Language', value: language, choices: languageChoices(), failed: own, help: `${LANGUAGE_HELP} After a change the pages are indexed again in the background.` })}
<button type="submit" class="button primary">Save</button>
</form></section>`
}

function opened({ people, revisions, metadataChanges, comments }: Opens): string {
  return `If everybody can see it, ${counted(people, 'more person or agent', 'more people and agents')} can read ${counted(revisions, 'version')}, old ones included, ${counted(metadataChanges, 'change')} of properties and ${counted(comments, 'comment')}.`
}

function slugForm({ space, failed }: SettingsView): Html {
  const own = failed && 'slug' in failed.fields ? failed : undefined
  return html`<section aria-labelledby="address"><h2 id="address">URL</h2>
<form class="form" method="post" action="${settingsUrl(space.slug, 'slug')}">
${CSRF_FIELD}
${textField({ name: 'slug', label: 'Slug', required: true, maxLength: 64, pattern: '[a-z0-9]+(-[a-z0-9]+)*', value: space.slug, failed: own, help: 'The URLs of all its pages change. Links to the old slug redirect to the new one.' })}
<button type="submit" class="button">Change the slug</button>
</form></section>`
}

function snapshotForm({ space, failed }: SettingsView): Html {
  const own = failed && 'templateId' in failed.fields ? failed : undefined
  return html`<section aria-labelledby="template"><h2 id="template">Save as a template</h2>
<p>Saves the current pages with their properties, without history, in the <a href="${GALLERY}">gallery</a>. Everybody can see them there.</p>
<form class="form" method="post" action="${settingsUrl(space.slug, 'template')}">
${CSRF_FIELD}
${textField({ name: 'templateId', label: 'Id', required: true, maxLength: 64, pattern: '[a-z0-9]+(-[a-z0-9]+)*', value: space.slug, failed: own, help: 'A template with the same id is replaced.' })}
${textField({ name: 'title', label: 'Title', maxLength: 200, value: space.name, failed: own })}
${textField({ name: 'summary', label: 'Description', maxLength: 2000, rows: 2, value: space.description, failed: own })}
${textField({ name: 'category', label: 'Category', maxLength: 100, failed: own })}
<button type="submit" class="button">Save as a template</button>
</form></section>`
}

function elsewhere({ space: { slug, role, kind }, requests }: SettingsView): Html {
  return html`<section aria-labelledby="elsewhere"><h2 id="elsewhere">More</h2>
<ul>
${
  role === 'admin' &&
  kind === 'shared' &&
  html`<li><a href="${rulesUrl(slug)}">Folder rules</a>: who reads and who writes in a folder</li>
<li><a href="${settingsUrl(slug, 'review')}">Reviews</a>: whose changes are reviewed first, and by whom</li>
<li><a href="${settingsUrl(slug, 'requests')}">Requests for access</a>: ${requests === 0 ? 'none' : counted(requests, 'request')}</li>\n`
}<li><a href="${trashUrl(slug)}">Trash</a>: deleted pages</li>
${
  role !== 'viewer' &&
  html`<li><a href="${settingsUrl(slug, 'shares')}">Share links</a>: what people without an account can read</li>
<li><a href="${importUrl(slug)}">Import</a>: pages and files from Obsidian, Notion, Outline or an export</li>`
}
<li><a href="${exportUrl(slug)}">Export</a>: all pages and files as one download</li>
</ul></section>`
}
